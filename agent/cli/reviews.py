"""`python -m agent reviews`: lists, shows and settles the answers that people should review."""

from __future__ import annotations

from typing import Annotated, get_args

import typer
from rich.text import Text

from agent.cli.console import open_service, out
from agent.core.callers import LOCAL
from agent.people.feedback.records import Decision, Status
from agent.people.feedback.reviews import ReviewDecision
from agent.present.terminal import plain, rows_table, sql_text

_STATUSES: tuple[Status, ...] = get_args(Status)

app = typer.Typer(help="Review answers: list, show, approve, correct, reject.")

Id = Annotated[str, typer.Argument(help="Id of a review, as `list` shows it.")]
Comment = Annotated[str, typer.Option("--comment", help="Comment for the other reviewers.")]


@app.callback(invoke_without_command=True)
def reviews(context: typer.Context) -> None:
    """Without a command: the open ones."""
    if context.invoked_subcommand is None:
        _list("open", "", 20)


@app.command("list")
def list_reviews(
    status: Annotated[str, typer.Option(help="open, approved, corrected, rejected or all.")] = "open",
    database: Annotated[str, typer.Option("--database", "-d", help="Only reviews of this database.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=200, help="Show at most this many.")] = 20,
) -> None:
    """List the newest reviews, one per line."""
    if status not in (*_STATUSES, "all"):
        raise typer.BadParameter("open, approved, corrected, rejected or all", param_hint="--status")
    _list(status, database, limit)


def _list(status: str, database: str, limit: int) -> None:
    wanted: Status | None = next((one for one in _STATUSES if one == status), None)
    with open_service() as (service, runner):
        found, more = runner.run(service.people.reviews.page(LOCAL, status=wanted, database=database, limit=limit))
    for review in found:
        _print(
            f"{review.id}  {review.created_at:%Y-%m-%d %H:%M}  {review.status:<9}  {review.database}", review.question
        )
    if not found:
        out.print(f"No review{'' if wanted is None else f' is {wanted}'}.", style="dim")
    if more:
        out.print("There are older ones; --limit shows more.", style="dim")


@app.command()
def show(review_id: Id) -> None:
    """Show one review."""
    with open_service() as (service, runner):
        review = runner.run(service.people.reviews.get(LOCAL, review_id)).review
    _print(f"{review.status}, {review.database}, {review.created_at:%Y-%m-%d %H:%M} UTC, {review.principal}:", "")
    _print("?", review.question)
    for attempt in review.attempts:
        out.print(sql_text(attempt.sql), soft_wrap=True)
        _print("  →", attempt.error or attempt.reason or "accepted")
    _print("answered:", review.answer)
    for document in review.documents:
        _print(f"  {document.kind} {document.id}", document.source)
    if review.feedback is not None:
        word = "right" if review.feedback.correct else "wrong"
        _print(f"{review.feedback.by} calls it {word}.", review.feedback.comment)
    if review.proposed_sql:
        out.print("proposed:", style="dim")
        out.print(sql_text(review.proposed_sql), soft_wrap=True)
    if review.settlement is not None:
        _print(f"{review.status} by {review.settlement.by}.", review.settlement.comment)


@app.command()
def approve(review_id: Id, comment: Comment = "") -> None:
    """Approve the query that `show` proposes. It becomes a past query."""
    _settle(review_id, "approve", "", comment)


@app.command()
def correct(
    review_id: Id, sql: Annotated[str, typer.Option("--sql", help="The SELECT that is right.")], comment: Comment = ""
) -> None:
    """Give the right query. It is run, shown, and becomes a past query."""
    _settle(review_id, "correct", sql, comment)


@app.command()
def reject(review_id: Id, comment: Comment = "") -> None:
    """Reject the answer, if you know no right query."""
    _settle(review_id, "reject", "", comment)


def _settle(review_id: str, decision: Decision, sql: str, comment: str) -> None:
    with open_service() as (service, runner):
        verdict = ReviewDecision(decision, sql=sql, comment=comment)
        settled = runner.run(service.people.reviews.settle(LOCAL, review_id, verdict))
    if settled.shown is not None:
        out.print(rows_table(settled.shown.result.columns, settled.shown.result.rows, width=out.width))
    out.print(f"The review is {settled.review.status}.", markup=False)


def _print(head: str, text: str) -> None:
    """Print a line. Control characters in its texts have no effect on the terminal."""
    out.print(Text(plain(f"{head} {text}".rstrip())), soft_wrap=True)
