"""`fmt`: lays a policy out anew. Only white space changes; every token and every comment stays, in its order."""

from __future__ import annotations

from policylang.diagnostics import PolicyError
from policylang.frontend.dsl.lexer import Comment, Tokens, tokenize
from policylang.frontend.dsl.parse import parse
from policylang.source import Source
from policylang.syntax.layout import Lead, render
from policylang.syntax.printer import DeclarationPrinter
from policylang.syntax.script import LayoutError, Lexeme, Script


def format_source(source: Source) -> str:
    """The text of a policy in the one layout.

    Raises:
        PolicyError: The text has errors; nothing is laid out.
        LayoutError: A bug of ours: the result would not say the same.
    """
    file, problems = parse(source)
    if problems:
        raise PolicyError(problems)
    tokens = tokenize(source)
    script = Script(_lexemes(tokens))
    text = render(DeclarationPrinter(script).file(file))
    if script.at != len(script.lexemes) - 1:
        raise LayoutError(f"{source.name}: tokens are left at offset {script.lexemes[script.at].start}")
    _check(source, tokens, text)
    again, _ = parse(Source(source.name, text))
    if again != file:
        raise LayoutError(f"{source.name}: the layout would change the meaning")
    return text


def _check(source: Source, tokens: Tokens, text: str) -> None:
    """Tokens and comments of the result are those of the source, in the same order."""
    after = tokenize(Source(source.name, text))
    if after.texts != tokens.texts or after.kinds != tokens.kinds:
        raise LayoutError(f"{source.name}: the layout would change a token")
    if [_text(after, item) for item in after.comments] != [_text(tokens, item) for item in tokens.comments]:
        raise LayoutError(f"{source.name}: the layout would lose or change a comment")


def _text(tokens: Tokens, comment: Comment) -> str:
    return tokens.text[comment.start : comment.end]


def _lexemes(tokens: Tokens) -> list[Lexeme]:
    """Tokens with the comments before each, and whether the gap had a line end and a blank line."""
    comments: dict[int, list[Comment]] = {}
    for comment in tokens.comments:
        comments.setdefault(comment.token, []).append(comment)
    text = tokens.text
    lexemes: list[Lexeme] = []
    before = 0
    for at, word in enumerate(tokens.texts):
        start = tokens.starts[at]
        trailing: str | None = None
        own: list[tuple[bool, str]] = []
        place = before
        for comment in comments.get(at, ()):
            lines = text.count("\n", place, comment.start)
            if not lines and at and place == before:
                trailing = _text(tokens, comment)
            else:
                own.append((lines > 1, _text(tokens, comment)))
            place = comment.end
        lead = Lead(trailing, tuple(own), text.count("\n", place, start) > 1)
        lexemes.append(Lexeme(word, start, lead, "\n" in text[before:start]))
        before = tokens.ends[at]
    return lexemes
