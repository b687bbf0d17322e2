"""Assembles the parts for sessions, reviews, feedback, saved queries and dashboards."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.people.feedback.feedback import FeedbackBox
from agent.people.feedback.recorder import Recorder
from agent.people.feedback.reviews import PastPairs, Reviewers, Reviews
from agent.people.feedback.saved import SavedQueries
from agent.people.feedback.shelf import Shelf

if TYPE_CHECKING:
    from agent.databases.knowledge.documents import AddedDocuments, Documents
    from agent.databases.knowledge.verified_queries import VerifiedQueries
    from agent.databases.registry import Databases
    from agent.platform.config.settings import Settings
    from agent.platform.storage.store import StateStore
    from executors.router import Router

IN_FUNCTIONS = "FUNCTIONS_WORKER_RUNTIME"  # set by the Functions host, which checks keys itself


@dataclass(frozen=True)
class People:
    """The parts of a service for reviews, feedback and saved queries."""

    reviewers: Reviewers
    recorder: Recorder
    reviews: Reviews
    feedback: FeedbackBox
    saved: SavedQueries


def build_people(
    settings: Settings,
    state: StateStore,
    router: Router,
    registered: Databases,
    documents: Documents,
    added: AddedDocuments,
    verified: VerifiedQueries,
) -> People:
    """Build all parts, with one state store and one registry."""
    shelf = Shelf(state, review_days=settings.review_days, feedback_days=settings.feedback_days)
    reviewers = Reviewers(
        router, registered, everywhere=settings.reviewers, nobody_is_known=nobody_is_known(settings, os.environ)
    )
    pairs = PastPairs(registered, documents, added, verified)
    reviews = Reviews(shelf, reviewers, pairs)
    return People(
        reviewers=reviewers,
        recorder=Recorder(shelf),
        reviews=reviews,
        feedback=FeedbackBox(shelf, reviewers, pairs, reviews),
        saved=SavedQueries(state, shelf, registered, reviewers, most=settings.max_saved_queries),
    )


def nobody_is_known(settings: Settings, environment: Mapping[str, str]) -> bool:
    """Whether callers have no names and only this machine may call, so that every caller is its user."""
    return settings.auth == "none" and not settings.trust_principal_header and IN_FUNCTIONS not in environment
