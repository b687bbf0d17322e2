"""Does a question ask for a change of the data, in so many words?"""

from __future__ import annotations

import re

from agent.errors import WritesNotAllowed

# An order that begins the question, with what it is given to: "drop all tables", but not "drop in revenue since May".
_WISH = re.compile(
    r"\W*(?:please\s+)?(?:drop|truncate|alter|delete|insert|grant|revoke)\s+"
    r"(?:all|every|tables?|databases?|schemas?|views?|rows?|records?|columns?|index(?:es)?|users?|from|into)\b",
    re.IGNORECASE,
)

ONLY_READS = (
    "Plumbline only reads, and answering this would change the data. Ask a question about what the data says instead."
)


def refuse_writes(question: str) -> None:
    """Raise WritesNotAllowed for a question that is an order to change the data; all others are left to the guard."""
    if _WISH.match(question):
        raise WritesNotAllowed(ONLY_READS)
