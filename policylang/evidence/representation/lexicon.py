"""The small words that binding reads by: copulas, negations, moods, changes, acts. Data only."""

from __future__ import annotations

from typing import Final


def _of(words: str) -> frozenset[str]:
    return frozenset(words.split())


CUTS: Final = _of("= : := == , ; | ( ) { } -> => > < → … ? & / and or nor")
"""What may not stand inside a key: "coverage and tests" is no test coverage."""

INNER: Final = _of("of the a an in for on our this that its s to")
"""Words that may stand inside a key without making it another key."""

FUNCTION: Final = INNER | _of(
    "is are was were be been and or but with by at from as we i you it they now then also so since still "
    "current currently new latest final confirmed actual present live same exact resulting observed "
    "reported recorded overall total that which has have had no not never all both each only just where "
    "via use using used got get gives gave shows show says reads returns feature flag setting option "
    "parameter variable field key value column property constant - • here there result note fact update "
    "status"
)
"""Words that may stand left of a one-word key and leave it the same key."""

OTHERS: Final = _of(
    "old older previous prior former earlier original initial min minimum max maximum expected required "
    "target desired default next another other wrong stale outdated supported unsupported planned "
    "proposed future recommended intended invalid fake dummy"
)
"""Words left of a key that make it another thing: they name the key and bind nothing to it."""

CONDITIONS: Final = _of(
    "if when whenever unless whether once until assuming suppose supposing provided wonder wondering "
    "unsure unclear unknown untested unverified"
)

WISHES: Final = _of(
    "should must shall would could might may will won't wouldn't shouldn't can't cannot couldn't want "
    "wants wanted need needs needed expect expects expected expecting hope hopefully hoping please todo "
    "ensure maybe perhaps probably possibly presumably likely apparently allegedly supposedly seems "
    "appears assume assumed assumes i'll we'll let's lets planned plans plan planning intend intends try "
    "trying attempt attempting pretend imagine guess suspect doubt think thinks believe believes nobody "
    "asked asks asking aim aims goal require requires required recommend suggested suggest propose "
    "proposed"
)

BARS: Final = _of("never without avoid don't didn't doesn't unable instead rather than unlike except")
"""They forbid or exclude what follows them: "never set the limit to 7" sets none."""

ENDS: Final = _of(", ; ( ) : and but so then because")
"""They end the reach of an exclusion."""

PREDICATES: Final = _of(
    "gone clean dirty ready missing done over new old good bad fine broken stable empty full important "
    "unknown unclear correct wrong behind ahead ours theirs here there free busy high low different same "
    "safe final green red available visible true false live dead local remote"
)
"""After a copula these describe a thing and are no value of it: "the branch is clean"."""

ORDERS: Final = _of(
    "check verify confirm ensure see look find determine investigate examine test validate recheck "
    "double-check make run set update bump change let consider decide ask review inspect"
)
"""Imperatives: wishes where they open a clause or follow a word of ``LEADS``."""

LEADS: Final = _of("to then and also now next first please we i you let me lets let's or , : ll - *")

ASKING: Final = _of("what which who whom whose where why how")

AUXILIARY: Final = _of("is are was were does do did has have had can could should will would")

MARKUP: Final = _of("* ` \" ' “ ” ‘ ’ _ ( ) [ ] { } #")

SEPARATORS: Final = _of("= : := == -> => → | - – —")

ARROWS: Final = _of("-> => →")

COPULAS: Final = _of(
    "is are was were be been being am became becomes become remains remained remain stays stayed equals "
    "equal reads has have had it's isn't aren't wasn't weren't hasn't haven't hadn't isnt 's reached "
    "reaches returned returns shows showed reported reports 是 为 現在是 现在是 现为"
)

FILLERS: Final = _of(
    "now currently still already just actually also successfully id number no. value a an the indeed "
    "finally fully both completely at as being confirmed today verified mode flag setting count"
)

NEGATIONS: Final = _of(
    "not never no isn't aren't wasn't weren't hasn't haven't hadn't didn't doesn't don't isnt cannot nor neither"
)

CHANGES: Final = _of(
    "set bumped changed updated upgraded moved raised lowered increased reduced switched went migrated "
    "rolled advanced jumped dropped grew rose fell decreased downgraded incremented reset reverted "
    "promoted transitioned scaled goes"
)

PAST: Final = _of("was were previously formerly initially originally earlier before had used once")

NEWS: Final = _of(
    "now later then currently actually since changed updated longer correction instead again afterwards "
    "finally reverted rolled upgraded bumped downgraded became"
)

JOINS: Final = _of("and or / & , – - .. … through nor vs versus to")

MORE: Final = _of("or-more later higher newer above greater lower less fewer more earlier")

HEDGES: Final = _of("≥ ≤ > < >= <= != ~ ≈ ± + about around approximately approx roughly nearly almost")

PLACES: Final = _of("of for in on")

HOLDS: Final = _of("apply applies hold holds valid true correct current")

CANCELLED: Final = _of("lifted waived revoked rescinded void obsolete superseded overridden withdrawn")
"""Said of a fact, these call it off."""

ARTICLES: Final = _of("the a an our this")

FALSE: Final = _of("false wrong incorrect untrue outdated stale obsolete")

WROTE: Final = _of(
    "created wrote written saved updated edited modified overwrote overwritten generated added appended "
    "patched rewrote rewritten exported replaced changed refactored fixed implemented extended rendered "
    "dumped copied moved renamed uploaded stored committed"
)

COPIED: Final = _of("copied moved renamed")
"""Of two paths only the second was written."""

GONE: Final = _of("deleted removed dropped unlinked erased destroyed")

LINKS: Final = _of(
    "the a an new file files to into in at as under both and also module script test config document "
    "report output log successfully with following , : ` \" ' * ( [ - named called only"
)
"""Words that may stand between an act and its path: "wrote 3 rows to the file `out.csv`"."""

TAILS: Final = _of(
    "has have had been was were is are now successfully file ` \" ' * ) ] : - – — ( and already all both "
    "newly fully , ✓ ✅"
)

REFUSALS: Final = _of("not never no nor without cannot failed unable")

NAMING: Final = _of(
    "order station receipt user customer account reservation booking ticket artifact host hostname node pod server "
    "instance device sensor container job deployment incident invoice shipment parcel flight passenger product sku "
    "employee patient case member tenant cluster shard lease card payment transaction skill query"
)
"""Fields whose value names the record that they stand in."""

NOT_NAMING: Final = _of(
    "parent request trace span correlation message event session process thread tool call chunk previous prev old "
    "next last new total count number num max min version author"
)
"""Words of a field that names another thing than its record, or only the act of reading it."""

RUN_TOTALS: Final = _of("test suite spec failure assertion example scenario")
"""Counts under these keys are totals of the run that printed them."""

COUNTING: Final = _of("count number many total num amount how")
"""Beside a noun in the singular these name its count."""
