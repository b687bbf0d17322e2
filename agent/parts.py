"""What the loop works with; `service.build_service` puts it together."""

from __future__ import annotations

from dataclasses import dataclass

from agent.confidence.calibration import Confidence
from agent.conversation.followups import FollowUps
from agent.evaluate import Judge
from agent.generate import Generator
from agent.profiles import Profile
from agent.retrieval.knowledge import Knowledge
from agent.settings import Settings
from agent.synthesize import Writer
from agent.verified_queries import VerifiedQueries
from agent.writing.tokens import WritePlans


@dataclass(frozen=True)
class Parts:
    """Shared by all questions."""

    settings: Settings
    profile: Profile
    followups: FollowUps
    generator: Generator
    judge: Judge
    writer: Writer
    knowledge: Knowledge
    write_plans: WritePlans
    verified: VerifiedQueries
    calibration: Confidence
