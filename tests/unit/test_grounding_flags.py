"""A sentence that contradicts a row's flag is refused; one that agrees is shown."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.docs.documents import make_document


def facts_of(question: str, columns: tuple[str, ...], *rows: tuple[JsonValue, ...], doc: str = "") -> Facts:
    """Rows of a table `scooters`. Args: doc: of the last column."""
    documents = (make_document("column", doc, table="scooters", column=columns[-1]),) if doc else ()
    sql = f"SELECT {', '.join(columns)} FROM scooters"
    return Facts(question=question, result=QueryResult(columns=columns, rows=rows), sql=sql, documents=documents)


ONE = facts_of("Is E-17 charging?", ("code", "battery", "is_charging"), ("E-17", 82, 0))
SEVERAL = facts_of(
    "Which scooters are charging?", ("code", "is_charging"), ("E-17", 0), ("E-18", 1), ("E-19", 1), ("E-20", 0)
)
DOCUMENTED = facts_of(
    "Which plots are organic?", ("plot", "organic"), ("North", 0), ("South", 1), doc="1 where the plot is organic."
)
WRITTEN = facts_of("Which desks are reserved?", ("desk", "reserved"), ("Anna", "yes"), ("Berta", "no"))
FLAGGED = facts_of("Which flights are delayed?", ("flight", "delayed_flag"), ("LX 1", 1), ("LX 2", 0))
GERMAN = facts_of("Welche Räume sind belegt?", ("raum", "is_belegt"), ("Aula", 0), ("Mensa", 1))
FRENCH = facts_of("Quels comptes sont actifs ?", ("compte", "is_actif"), ("Durand", 0), ("Petit", 1))
SPANISH = facts_of("¿Qué cuentas están activas?", ("cuenta", "is_activa"), ("Ruiz", 0), ("Vega", 1))
ITALIAN = facts_of("Quali conti sono attivi?", ("conto", "is_attivo"), ("Rossi", 0), ("Verdi", 1))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (ONE, "E-17 is charging."),
        (ONE, "E-17 is charging at 82."),
        (SEVERAL, "E-17 is charging."),
        (SEVERAL, "E-17 and E-18 are charging."),
        (SEVERAL, "E-18 and E-19 are not charging."),
        (SEVERAL, "E-18 is charging, but E-19 is not."),
        (SEVERAL, "All scooters are charging."),
        (SEVERAL, "Only E-18 is charging."),
        (DOCUMENTED, "North is organic."),
        (WRITTEN, "Berta is reserved."),
        (WRITTEN, "Anna is not reserved."),
        (FLAGGED, "LX 2 is delayed."),
        (GERMAN, "Die Aula ist belegt."),
        (GERMAN, "Die Mensa ist nicht belegt."),
        (FRENCH, "Durand est actif."),
        (SPANISH, "Ruiz está activa."),
        (ITALIAN, "Rossi è attivo."),
    ],
)
def test_what_a_flag_denies_is_refused(facts: Facts, sentence: str) -> None:
    assert check_text(sentence, facts).problems


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (ONE, "E-17 is not charging."),
        (SEVERAL, "E-18 and E-19 are charging, while E-17 and E-20 are not."),
        (SEVERAL, "E-18 is charging, but E-17 is not."),
        (SEVERAL, "Only E-18 and E-19 are charging."),
        (DOCUMENTED, "South is organic."),
        (WRITTEN, "Anna is reserved."),
        (FLAGGED, "LX 1 is delayed."),
        (GERMAN, "Die Mensa ist belegt."),
        (FRENCH, "Petit est actif."),
    ],
)
def test_what_a_flag_says_is_shown(facts: Facts, sentence: str) -> None:
    assert check_text(sentence, facts).problems == ()
