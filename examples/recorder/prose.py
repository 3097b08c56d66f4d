"""What the operator says while it works: verbose, topical, and without a single value.

The document's failure needs exactly this: reasoning that talks about the state at length and never states it. The
pools are drawn without repetition, by the session's own generator.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Pool:
    """Sentences in a shuffled order; it starts over when all have been said."""

    rng: random.Random
    sentences: Sequence[str]
    _left: list[str] = field(default_factory=list)

    def draw(self) -> str:
        """The next sentence."""
        if not self._left:
            self._left = list(self.sentences)
            self.rng.shuffle(self._left)
        return self._left.pop()


OPENERS = (
    "Let me take stock for a moment.", "Stepping back.", "A word on where we are.", "Thinking this through again.",
    "Something to keep in mind for the next steps.", "No rush here.", "Going over the plan once more.",
    "What matters at this point?", "One thing I do not want to lose sight of.", "While this is quiet, a thought.",
    "Let me put the pieces next to each other.", "Before the next command.", "This deserves a second look.",
)  # fmt: skip
CLOSERS = (
    "I will act on what the tools reported and not on what I think I remember.",
    "If in doubt, I look it up.",
    "That is the order in which I will go on.",
    "Nothing here is urgent enough to skip a check.",
    "The notes from earlier should have what is needed.",
    "As established earlier, the limits that we were given still apply.",
    "I would rather ask once more than be wrong quietly.",
    "It costs a minute and saves an evening.",
    "After that the rest of the plan stands as it was.",
    "The result from before still holds as far as I can see.",
    "For now, on with the work.",
)


@dataclass(slots=True)
class Musing:
    """A longer thought: opener, body and closer are drawn apart, so that few thoughts come twice word for word."""

    opener: Pool
    body: Pool
    closer: Pool

    @classmethod
    def of(cls, rng: random.Random, bodies: Sequence[str]) -> Musing:
        """A source of thoughts about one topic."""
        return cls(Pool(rng, OPENERS), Pool(rng, bodies), Pool(rng, CLOSERS))

    def draw(self) -> str:
        """The next thought."""
        return f"{self.opener.draw()} {self.body.draw()} {self.closer.draw()}"


INCIDENT_THOUGHTS = (
    "Before I touch anything else I want to be sure that the schema version we think we are on is the schema version "
    "that production really has. We should verify the schema version before going on, because every later step "
    "assumes it, and a wrong assumption about the schema would make the next deployment misbehave in a way that looks "
    "like the original incident.",
    "The lease is what keeps the other on-call engineers away from the payments database. As long as the lease is "
    "held and its fencing token is the current one, nobody else can run a job there. I should keep an eye on the time "
    "that is left on the lease and renew it well before it lapses.",
    "The feature flag and the deployment are two different levers. Turning the flag off stops the new retry path from "
    "being taken, rolling the deployment back removes the code. I want both, and I want to remember which revision of "
    "the flag was the last one that we wrote ourselves.",
    "What worries me about the migration is not the statement itself but the rows that are already there. A unique "
    "index over rows that violate it cannot be built, so whatever duplicates exist must be dealt with first, and the "
    "migration has to leave the database exactly as it found it when it cannot go through.",
    "The backup is only worth something if we can show later that it still holds the rows that it held when it was "
    "taken. That is why the digest of the rows was noted next to the path of the backup, and why the restore drill has "
    "to compare against that very digest.",
    "The customers were charged twice because every retry invented a new idempotency key. The idempotency key has to "
    "depend on the order alone. Once that is true, the unique index is a safety net and not a trap, and the retry path "
    "can be turned on again in small steps.",
    "I keep coming back to the approval. The standing instruction is plain: production migrations only after asking. "
    "The approval we have is for one change, so it must not be stretched to cover another, even when the other change "
    "looks harmless.",
    "The config is written by compare and set. If somebody else has changed the config in the meantime, our write "
    "will be refused, and that is a good thing. Reading the config version again and looking at what changed is "
    "cheaper than guessing.",
    "The traffic totals look calm, but a calm total does not tell whether individual orders were charged twice. The "
    "count of duplicate charges is the figure to watch, and it should stay where the clean-up left it.",
    "Thinking about the timeline: first the alert, then the rollback, then the flag, then the fix on a branch, then "
    "the migration on staging, and only then production. The incident notes should show this order, with the ids of "
    "the deployments, so that the review can follow it.",
    "It would be easy to promote the canary now and be done. I would rather look at the deployment list once more, "
    "check that the release which was rolled back is still stopped, and check that the share of traffic is what we "
    "set and not what somebody else set.",
    "The checksums of the applied migrations matter more than usual today. If a migration file was edited after it "
    "had been applied to staging, staging and production would carry the same schema version with different contents.",
    "Quarantined rows are not deleted rows. The quarantine run has an id, and the refunds team will ask for it. The "
    "number of rows that were moved and the refund total belong together, and both belong in the report.",
    "I should resist the temptation to re-derive what we already know. Which deployment did we roll back, which "
    "commit carries the fix, which lease do we hold: these were established by tool results earlier in this session, "
    "and the right thing is to use what was established.",
    "A restart would hide the symptom for an hour. The error budget for this month is already thin, so I want the "
    "cause removed and the index in place before traffic returns to its evening peak.",
    "If the schema and the release disagree, the control plane refuses the deployment with a schema mismatch. That "
    "guard is only as good as the schema version that we hand to it, so it must be the real one.",
)

INCIDENT_REMARKS = (
    "Routine round: health first, then the list of deployments, then the migrations.",
    "Let me do a quick round over the control plane before the next step.",
    "Checking in on the payments service again; nothing should have moved since the last round.",
    "I will look at the log of the control plane, in case somebody else is working on this.",
    "Time for the regular look at traffic and schema state.",
    "One more sanity round before I change anything.",
    "Quiet so far. I am going through the usual checks again.",
    "Let me re-check the state of staging while production is stable.",
    "Looking at deployments and flags side by side.",
    "The usual checks, then on with the plan.",
)

BUILD_THOUGHTS = (
    "A release is a chain of small facts: the commit that was built, the digest of the artifact, the receipt of the "
    "registry, the number of tests that passed. If any link is guessed and not looked up, the release is not "
    "reproducible, however green it looks.",
    "The build has to be reproducible, so the artifact digest of a second build from the same commit must equal the "
    "artifact digest of the first. If they differ, something in the build reads the clock or the environment.",
    "The test count is a fact worth keeping. When the number of tests goes down between two builds, somebody has "
    "deleted a test or the loader has stopped finding a file, and both have to be explained before a release.",
    "I would rather cherry-pick the fix onto the release branch than merge the whole of main. The release branch is "
    "frozen for everything but fixes, and that was a standing instruction.",
    "A merge conflict in the version file is the expected kind of conflict: both branches have bumped the version. "
    "The release branch keeps its own number, and main keeps the development number.",
    "The registry accepts a version once. Publishing another artifact under the same version is refused, as it "
    "should be: whoever has pinned the digest would otherwise get something else.",
    "The receipt of the publication is needed again for the promotion. The registry compares the receipt and the "
    "digest, so the promotion has to use the receipt and the digest of that publication and no other.",
    "Bisecting is worth the time here. A slow regression is easier to find by halving the history than by reading "
    "the diff of every commit, and the result names one commit, which the changelog entry can then name as well.",
    "The changelog has to say what changed for users, not what we did all night. The rounding change is visible to "
    "users, the parser change is not.",
    "Before tagging I want to look at the state of the branches again, and at the digest of the source tree, so that "
    "the tag points at what was really tested.",
    "The lock file pins tools by digest. When the digest in the lock file and the digest of the artifact disagree, the "
    "right move is to stop and find out which of the two is stale.",
    "Nightly builds are cheap, and their numbers are a record. The build number of the last good nightly is what "
    "support will ask for when a user reports that something stopped working.",
    "If the candidate is promoted to stable, the candidate's artifact is what ships, byte for byte. Rebuilding it for "
    "the stable channel would be a different artifact with the same name.",
    "We should check the version that the package reports about itself against the tag. They have drifted apart "
    "before, and nobody noticed until a user filed a report about it.",
)

BUILD_REMARKS = (
    "Next round: status, tests, build.",
    "Let me see where the branches stand before the next step.",
    "Running the suite again on a clean tree.",
    "A look at the registry, to see that nothing was published behind our back.",
    "The nightly is due.",
    "Checking the tree and the digest again.",
    "Going on with the plan for this window.",
    "Clean tree first, then the build.",
    "I want to see the log of the last commits before I go on.",
    "Usual checks for this slot.",
)

RESEARCH_THOUGHTS = (
    "The gauge sheets disagree about the station that matters most. Before drawing any conclusion about the peak "
    "discharge, we should look up which finding recorded it and whether a correction has replaced it since.",
    "A finding without its source is hearsay. Each finding gets the document it came from and an id, so that the "
    "later synthesis can name the finding and does not have to repeat the reading.",
    "The rating curve decides everything: the same stage gives another discharge under another revision of the curve. "
    "It matters which revision of the rating curve a sheet was computed with.",
    "I notice that the narrative reports are long and say little, while the station sheets are short and hold all the "
    "figures. The synthesis must lean on the sheets.",
    "The catchment area is used for the specific discharge, so a wrong catchment area spreads into every derived "
    "figure. I want to use the area that we recorded and not one that I seem to remember.",
    "The correction notice withdraws an earlier figure. The earlier finding must be marked as superseded, and every "
    "later computation has to use the corrected figure.",
    "Comparing stations only makes sense for the same event. The event has an id in the catalogue, and the queries "
    "should be made by that id.",
    "Return periods are the weakest part of the argument. The record is short, and an estimate from a short record "
    "carries an uncertainty that the summary has to mention.",
    "We should verify the datum of the gauge before comparing stages across years, as the gauge was moved at least "
    "once, and the sheets before and after the move do not share a zero.",
    "Reading another report will not settle this. The question is what the sheet for the station says, and that we "
    "have already read and recorded.",
    "The draft is easier to review when every number in it names a finding. I will go through the draft and look for "
    "numbers that do not.",
    "An independent check: specific discharge times area should give the peak back. If it does not, one of the three "
    "figures comes from another revision.",
)

RESEARCH_REMARKS = (
    "On with the reading list.",
    "Next sheets from the corpus.",
    "Reading two documents side by side.",
    "Let me note what this sheet establishes.",
    "Back to the corpus after the break.",
    "A few more sources for this question.",
    "Checking the notes before going on.",
    "Continuing with the next block of stations.",
)
