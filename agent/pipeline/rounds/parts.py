"""The parts that the loop uses; `service.build_service` assembles them."""

from __future__ import annotations

from dataclasses import dataclass

from agent.databases.knowledge.knowledge import Knowledge
from agent.databases.knowledge.verified_queries import VerifiedQueries
from agent.databases.paging import Cursors
from agent.pipeline.confidence.calibration import Confidence
from agent.pipeline.steps.generate import Generator
from agent.pipeline.steps.judge import Judge
from agent.pipeline.steps.synthesize import Writer
from agent.pipeline.steps.write_plans import WritePlans
from agent.platform.config.profiles import Profile
from agent.platform.config.settings import Settings
from agent.understanding.first_look.look import FirstLooks
from agent.understanding.followups.followups import FollowUps


@dataclass(frozen=True)
class Parts:
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
    cursors: Cursors
    looks: FirstLooks
