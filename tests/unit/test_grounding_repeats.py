"""The words of the question that a sentence must repeat: means, denials, names, measures."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts

LIFTS = facts(
    "How many skiers used each lift in the morning and in the afternoon?",
    "lift morning afternoon",
    (("Nord", 900, 400), ("Glacier 2", 300, 700)),
    "SELECT lift, SUM(morning_skiers) AS morning, SUM(afternoon_skiers) AS afternoon FROM runs GROUP BY lift",
)
SAUNAS = facts(
    "How warm was each sauna on average in April?",
    "sauna avg_temp",
    (("A", 81.5), ("B", 90.0), ("C", 74.0)),
    "SELECT sauna, AVG(temp) AS avg_temp FROM readings WHERE day >= '2025-04-01' AND day < '2025-05-01' GROUP BY sauna",
    ("readings", "temp", "Temperature in °C"),
)
TICKETS = facts(
    "Was kostet ein Ticket im Durchschnitt je Bühne?",
    "buehne preis",
    (("Ost", 24.5), ("West", 31.0)),
    "SELECT buehne, AVG(preis) AS preis FROM tickets GROUP BY buehne",
    ("tickets", "preis", "Preis in Euro"),
)
PUMPS = facts(
    "Which pumps were not checked after 2023?",
    "pump",
    (("Pump 4",), ("Pump 9",)),
    "SELECT pump FROM pumps WHERE checked < '2024-01-01'",
)
PILOT = facts(
    "Which pilot flew the longest route into Norway?",
    "pilot plane",
    (("Edda Moen", "Silver Gull"),),
    "SELECT pilot, plane FROM routes ORDER BY km DESC LIMIT 1",
)
GATES = facts(
    "¿Cuántos visitantes contó cada puerta?",
    "puerta visitantes",
    (("Norte", 410), ("Sur", None)),
    "SELECT p.nombre AS puerta, c.visitantes FROM puertas p LEFT JOIN conteos c ON c.puerta_id = p.id",
)
ACCOUNTS = facts(
    "What is the balance of each account?",
    "account balance",
    (("Blue", -300.0), ("Red", 1200.5), ("Gold", 80.0)),
    "SELECT account, balance FROM accounts",
    ("accounts", "balance", "Balance in CHF"),
)
LOCKS = facts(
    "Hoeveel boten gingen er door elke sluis?",
    "sluis boten",
    (("Oost", 18), ("Zuid", 44)),
    "SELECT sluis, COUNT(*) AS boten FROM doorvaarten GROUP BY sluis",
)
SPRINGS = facts(
    "월별 방문객은 몇 명인가요?",
    "month visitors",
    (("2026-01", 310), ("2026-02", 290)),
    "SELECT STRFTIME('%Y-%m', day) AS month, COUNT(*) AS visitors FROM visits GROUP BY 1",
)


@pytest.mark.parametrize(
    "asked, true, false",
    [
        (LIFTS, "Nord had 900 skiers in the morning.", "Nord had 900 skiers in the afternoon."),
        (SAUNAS, "In April, A was 81.5 °C on average and B 90 °C.", "In April, A was 81.5 °C and B 90 °C."),
        (SAUNAS, "In April, C was the lowest on average, at 74 °C.", "In May, C was 74 °C."),
        (TICKETS, "Im Durchschnitt kostet ein Ticket auf der Bühne Ost 24,50 €.", "Das teuerste Ticket kostet 31 €."),
        (PUMPS, "Pump 4 and Pump 9 were not checked after 2023.", "Pump 4 and Pump 9 were checked after 2023."),
        (PILOT, "Edda Moen flew the longest route into Norway.", "Silver Moen flew the longest route into Norway."),
        (PILOT, "Edda Moen flew the longest route.", "Norway flew the longest route."),
        (GATES, "Norte contó 410 visitantes.", "Sur no contó visitantes."),
        (GATES, "Para Sur no hay ningún valor.", "Sur contó 410 visitantes."),
        (ACCOUNTS, "The balance of Red is 1,200.50 francs.", "Red earned CHF 1,200.50."),
        (ACCOUNTS, "Only Blue has a negative balance.", "Only Gold has a negative balance."),
        (ACCOUNTS, "Blue is negative, at CHF -300.", "Gold is negative, at CHF 80."),
        (LOCKS, "Door Oost gingen 18 boten en door Zuid 44.", "Door Oost gingen geen boten."),
        (SPRINGS, "2026년 1월 방문객은 310명, 2월은 290명입니다.", "2026년 1월 방문객은 290명입니다."),
    ],
)  # fmt: skip
def test_a_sentence_says_what_was_asked(asked: Facts, true: str, false: str) -> None:
    assert check_text(true, asked).problems == ()
    assert check_text(false, asked).problems != ()


FILMS = facts(
    "What is the average runtime of dramas and comedies?",
    "avg_runtime",
    ((101.5,),),
    "SELECT AVG(runtime_min) AS avg_runtime FROM films WHERE genre IN ('drama', 'comedy')",
    ("films", "runtime_min", "Runtime in minutes"),
)
DRAMAS = facts(
    "What is the average runtime of dramas?",
    "avg_runtime",
    ((101.5,),),
    "SELECT AVG(runtime_min) AS avg_runtime FROM films WHERE genre = 'drama'",
    ("films", "runtime_min", "Runtime in minutes"),
)


@pytest.mark.parametrize(
    "asked, sentence, holds",
    [
        (FILMS, "The average runtime of dramas is 101.5 minutes, and that of comedies is 101.5 minutes.", False),
        (FILMS, "Dramas run 101.5 minutes on average; comedies run 101.5 minutes on average.", False),
        (FILMS, "The average runtime of dramas and comedies is 101.5 minutes.", True),
        (DRAMAS, "The average runtime of dramas is 101.5 minutes.", True),
    ],
)
def test_one_row_of_several_values_is_not_told_of_each(asked: Facts, sentence: str, holds: bool) -> None:
    assert (not check_text(sentence, asked).problems) is holds
