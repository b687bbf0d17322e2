"""A conversation as Markdown: each question, how it was understood, its answer and its query."""

from __future__ import annotations

from agent.core.answers import Answer


class Transcript:
    """Gathers the turns of one conversation; with `costs`, each names its model calls and seconds."""

    def __init__(self, database: str, *, costs: bool = True) -> None:
        self._database, self._costs = database, costs
        self._turns: list[str] = []

    def add(self, message: str, answer: Answer) -> None:
        """The next turn. Args: message: as it was typed; answer: what came back."""
        lines = [f"**{len(self._turns) + 1}. {message}**"]
        if answer.question and answer.question != message:
            lines.append(f"*understood as: {answer.question}*")
        lines.append(answer.answer.strip())
        if any(choice.label not in answer.answer for choice in answer.choices):
            lines.append("\n".join(f"- {choice.label}" for choice in answer.choices))
        if answer.sql:
            lines.append(f"```sql\n{answer.sql}\n```")
        lines += [f"[{part.number}] {part.question}\n\n```sql\n{part.sql}\n```" for part in answer.parts if part.sql]
        self._turns.append("\n\n".join([*lines, self._summary(answer)]))

    def fail(self, message: str, problem: str) -> None:
        """A turn that ended in an error, in its own words."""
        self._turns.append(f"**{len(self._turns) + 1}. {message}**\n\n{problem}")

    def __str__(self) -> str:
        return "\n\n".join([f"Database: `{self._database}`", *self._turns]) + "\n"

    def _summary(self, answer: Answer) -> str:
        """One line on how far the answer was checked, and what it cost."""
        if answer.status == "clarification_needed":
            mark = "asks back"
        elif answer.status == "error":
            mark = "no answer"
        else:
            mark = "verified" if answer.verified else "not verified"
        counts = [f"{answer.attempts} attempt{'s'[: answer.attempts != 1]}"] if answer.attempts else []
        if self._costs:
            seconds = sum(answer.timings_ms.values()) / 1000
            counts += [f"{answer.usage.model_calls} model calls", f"{seconds:.0f} s"]
        return f"({'; '.join(filter(None, (mark, ', '.join(counts))))})"
