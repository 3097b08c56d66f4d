"""The fixed words of extraction: states and their opposites, units, keys that decide a type. Data only."""

from __future__ import annotations

from typing import Final


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


TRUE_WORDS: Final = frozenset({"true", "yes", "on", "enabled"})
FALSE_WORDS: Final = frozenset({"false", "no", "off", "disabled"})

_OPPOSED: Final = (
    ("applied", "failed reverted unapplied skipped pending"),
    ("created", "deleted removed destroyed dropped failed"),
    ("added", "removed deleted"),
    ("installed", "uninstalled removed"),
    ("enabled", "disabled"),
    ("started", "stopped"),
    ("running", "stopped exited terminated crashed"),
    ("up", "down"),
    ("passed", "failed"),
    ("passing", "failing"),
    ("succeeded success successful", "failed failure error"),
    ("completed complete done finished", "failed failure pending incomplete running"),
    ("ok", "failed failure error"),
    ("healthy", "unhealthy degraded"),
    ("active", "inactive"),
    ("open opened", "closed merged"),
    ("connected", "disconnected"),
    ("deployed", "undeployed failed"),
    ("merged", "unmerged closed"),
    ("locked", "unlocked"),
    ("online", "offline"),
    ("available", "unavailable"),
    ("valid", "invalid"),
    ("accepted approved", "rejected denied declined"),
    ("granted", "revoked denied"),
    ("ready", "unready pending"),
    ("resolved fixed", "unresolved open"),
    ("published", "unpublished"),
    ("confirmed", "cancelled canceled unconfirmed"),
    ("acquired", "released"),
    ("mounted", "unmounted"),
    ("clean", "dirty"),
    ("paid", "unpaid refunded"),
    ("verified", "unverified"),
    ("committed", "uncommitted"),
    ("attached", "detached"),
    ("registered", "unregistered"),
)


def _pairs() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for left, right in _OPPOSED:
        for one in left.split():
            for two in right.split():
                table.setdefault(one, set()).add(two)
                table.setdefault(two, set()).add(one)
    return {word: frozenset(table[word]) for word in sorted(table)}


OPPOSITES: Final = _pairs()
"""State word -> the state words that deny it; symmetric."""

VERDICTS: Final = word_set("pass fail present absent correct incorrect")
"""Words that are a state as a value only: in prose they are as often a verb or an adjective."""

STATE_WORDS: Final = (
    (
        frozenset(OPPOSITES)
        | word_set(
            "cancelled canceled queued blocked paused suspended archived updated upgraded downgraded restored "
            "scheduled expired stale missing restarted rolled_back in_progress not_started timed_out errored "
            "aborted modified succeed terminating provisioning deploying live idle draft rejected written saved "
            "synced built activated deactivated ok migrated configured unchanged"
        )
    )
    - TRUE_WORDS
    - FALSE_WORDS
)
"""Words that are a state as a value; `enabled` and `disabled` are booleans."""

ENUM_WORDS: Final = word_set(
    "status state phase branch env environment region zone stage result outcome conclusion mode tier"
)
"""Last word of a key under which any one word is a value."""

CHECKSUM_WORDS: Final = word_set(
    "sha sha1 sha224 sha256 sha384 sha512 md5 checksum digest crc crc32 fingerprint etag hash sum integrity"
)
ID_WORDS: Final = word_set(
    "id uuid guid ulid arn commit sha revision rev head parent ticket issue pr lease token key ref handle serial uid "
    "gid"
)
COUNT_WORDS: Final = word_set(
    "count total passed failed skipped ignored measured error warning file row record line item test "
    "result match replica retry attempt user entry insertion deletion page change message event request "
    "job task node size_in_item number quantity seat baggage passenger package module xfailed xpassed "
    "deselected hit document object failure assertion example spec scenario step suite case run selected passing "
    "failing pending todo issue problem vulnerability insertion upgraded installed added changed destroyed removed "
    "updated deleted inserted affected column key table function class thread worker instance endpoint image layer "
    "statement branch connection session snapshot dependency"
)
VERSIONED: Final = word_set(
    "version release tag python node npm rust rustc cargo go java ruby php pip postgres postgresql mysql "
    "redis nginx docker kubernetes openssl sqlite gcc clang cmake pytest ver"
)
PRODUCTS: Final = word_set(
    "python node node.js npm npx yarn pnpm bun deno ruby rails php composer java kotlin scala swift julia lua perl "
    "go rust cargo ghc ocaml erlang "
    "elixir dart flutter postgres postgresql mysql mariadb mongodb sqlite redis kafka spark hadoop elasticsearch "
    "nginx apache docker podman "
    "kubernetes helm terraform ansible vagrant openssl openssh gcc g++ clang llvm cmake make gdb bash zsh vim git "
    "curl wget ubuntu debian alpine "
    "fedora centos windows macos android ios chrome chromium firefox safari django flask fastapi numpy pandas scipy "
    "torch pytorch tensorflow "
    "keras jax cuda cudnn react vue angular svelte next nuxt vite webpack typescript pytest pip conda poetry gradle "
    "maven xcode glibc qt unity solc sphinx docutil jinja2 "
    "hardhat foundry anchor solana ffmpeg"
)
"""Programs, libraries and systems whose name makes `3.12` behind it a version."""
CLOCK_WORDS: Final = word_set(
    "time timestamp start end at ts date epoch created updated expires expiry exp iat modified started finished"
)

RUN_TOTALS: Final = word_set(
    "passed failed skipped ignored measured xfailed xpassed deselected selected passing failing pending todo total"
) | {"filtered out"}
"""Nouns whose count is a total of the run that printed it."""

DONE: Final = word_set(
    "added changed destroyed removed updated deleted created inserted upgraded installed uninstalled downgraded "
    "modified unchanged affected succeeded completed fixed processed matched copied reformatted cached"
)
"""Participles that a number before them counts where it opens a list or stands behind a comma: `3 added, 1 changed`."""

COUNTED: Final = RUN_TOTALS | word_set(
    "error errors warning warnings test tests insertion insertions deletion deletions failure failures file files "
    "match matches row rows record records package packages module modules vulnerability vulnerabilities replica "
    "replicas issue issues problem problems commit commits user users item items result results entry entries retry "
    "retries attempt attempts pending request requests migration migrations document documents object objects hit "
    "hits table tables container containers pod pods node nodes job jobs task tasks worker workers function functions "
    "class classes process processes thread threads service services instance instances page pages route routes "
    "endpoint endpoints message messages event events seat seats passenger passengers bag bags ticket tickets image "
    "images layer layers change changes statement statements branch branches key keys column columns suite suites "
    "assertion assertions snapshot snapshots dependency dependencies target targets account accounts shard shards "
    "partition partitions connection connections session sessions example examples spec specs scenario scenarios "
    "step steps case cases benchmark benchmarks assertion character characters line lines word words byte_count "
    "occurrence occurrences replacement replacements location locations addition additions removal removals hint hints "
    "suggestion suggestions finding findings violation violations conflict conflicts match_count argument arguments "
    "block blocks token tokens fix fixes hunk hunks chunk chunks edit edits link links todo todos artifact artifacts "
    "sample samples epoch epochs record iteration iterations iter"
)
"""Nouns that a number directly before them counts."""

NOT_IDS: Final = word_set(
    "x86_64 x86-64 x64 x86 amd64 arm64 aarch64 i386 i686 win32 win64 utf8 utf-8 utf-16 utf16 iso-8859-1 "
    "latin1 sha1 sha256 sha512 md5 base64 http2 http3 h2 ipv4 ipv6 es5 es6 es2015 es2017 es2020 es2022 "
    "python2 python3 py3 pip3 mp3 mp4 3d 2d s3 ec2 k8s i18n l10n a11y e2e b2b p2p oauth2 int8 int16 int32 "
    "int64 uint8 uint16 uint32 uint64 u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 float32 float64 1st 2nd 3rd "
    "4th 5th 6th 7th 8th 9th 10th web3 log4j covid-19 f1 f2 h1 h2 h3 h4 h5 h6"
)
"""Words with a digit that name a technology or an ordinal, never a thing."""

MEASURES: Final = word_set(
    "px em rem pt vw vh mm cm km in ft mi g kg mg lb lbs oz l ml v mv w kw mw kwh a ma pa kpa bar psi hz khz mhz ghz "
    "k c f °c °f db dpi fps rpm qps rps tps iops x pct percent bps kbps mbps gbps deg rad mol nm um µm"
)
"""Units of measure that are neither time nor size, in lower case: a number with one is a number."""
MEMORY_WORDS: Final = word_set(
    "size memory mem disk ram heap swap rss vsz storage capacity used avail available cache buffer free total limit"
)
"""Words of a key under which `4.5M` is a size."""

UNITS: Final[dict[str, str]] = {
    "ns": "1e-9", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "ms": "1e-3", "msec": "1e-3", "millisecond": "1e-3",
    "milliseconds": "1e-3", "s": "1", "sec": "1", "secs": "1", "second": "1", "seconds": "1", "m": "60", "min": "60",
    "mins": "60", "minute": "60", "minutes": "60", "h": "3600", "hr": "3600", "hrs": "3600", "hour": "3600",
    "hours": "3600", "d": "86400", "day": "86400", "days": "86400", "week": "604800", "weeks": "604800",
}  # fmt: skip
"""Unit -> seconds, as decimal text."""

SIZES: Final[dict[str, int]] = {
    "b": 1, "byte": 1, "bytes": 1,
    "kb": 1000, "mb": 1000**2, "gb": 1000**3, "tb": 1000**4,
    "kib": 1024, "mib": 1024**2, "gib": 1024**3, "tib": 1024**4,
    "kilobytes": 1000, "megabytes": 1000**2, "gigabytes": 1000**3,
}  # fmt: skip
"""Unit in lower case -> bytes."""
