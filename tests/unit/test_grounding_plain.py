"""Words that say nothing of the data pass in five languages; a condition that is left out is added at the end."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.plain_words import plain_words
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from executors.base import QueryResult
from rag.docs.documents import make_document

TICKETS = QueryResult(columns=("shop", "tickets"), rows=(("Aachen", 412), ("Bonn", 365)))
SQL = "SELECT shop, SUM(sold) AS tickets FROM sales WHERE event = 'Alpine Games 2022' GROUP BY shop"


def facts(question: str, sql: str = "SELECT shop, tickets FROM sales") -> Facts:
    return Facts(question=question, result=TICKETS, sql=sql)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "How many tickets did each shop sell?",
            "Sure! Apart from that, Bonn sold 365 tickets, according to the data.",
        ),
        ("How many tickets did each shop sell?", "In other words, it appears that 412 tickets were sold in Aachen."),
        ("Wie viele Tickets hat jeder Shop?", "Selbstverständlich: Bonn verfügt über 365 Tickets."),
        ("Combien de tickets a chaque boutique ?", "Avec plaisir ! En revanche, Bonn comporte 365 tickets."),
        ("¿Cuántos tickets tiene cada tienda?", "Por supuesto: en concreto, Bonn posee por su parte 365 tickets."),
        ("Quanti ticket ha ogni negozio?", "Volentieri: nello specifico, Bonn dispone dal canto suo di 365 ticket."),
    ],
)
def test_words_that_say_nothing_of_the_data_are_no_claims(question: str, sentence: str) -> None:
    assert check_text(sentence, facts(question)).problems == ()


@pytest.mark.parametrize("word", ["because", "already", "unfortunately", "unless", "refunded", "discounted"])
def test_words_that_say_something_are_claims(word: str) -> None:
    found = check_text(f"Bonn {word} sold 365 tickets.", facts("How many tickets did each shop sell?"))
    assert [it.split("”")[0] for it in found.problems] == [f"“{word}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_plain_word_is_a_claim_of_another_kind(language: str) -> None:
    plain = set(plain_words(language))
    listed = vocabulary(language)
    assert {
        it for it in plain if (found := listed.find_phrase(it.split("_"), 0)) is None or found.cls is not Class.FILLER
    } == set()


def test_a_table_names_what_its_rows_are_but_not_what_a_mean_is_of() -> None:
    asked = facts("How many tickets did each shop have?", SQL.replace("sales", "museum_visits").split(" WHERE")[0])
    assert check_text("Bonn had 365 tickets for the museum.", asked).problems == ()
    assert check_text("Bonn had 365 tickets per museum.", asked).problems


def test_a_condition_is_added_behind_a_number() -> None:
    asked = facts("How many tickets did each shop sell for the Alpine Games 2022?", SQL)
    found = check_text("Aachen sold the most tickets (412), Bonn 365.", asked)
    assert (found.problems, found.text) == ((), "Aachen sold the most tickets (412), Bonn 365 (Alpine Games 2022).")
    assert [found.text[it.start : it.end] for it in found.numbers if it.source == "result"] == ["412", "365"]


def test_thousands_are_no_single_things() -> None:
    asked = Facts(
        question="How many visitors were there per year?",
        result=QueryResult(columns=("year", "visitors_k"), rows=((2022, 198), (2023, 251))),
        sql="SELECT year, visitors_k FROM museum_years",
        documents=(make_document("column", "visitors in thousands", table="museum_years", column="visitors_k"),),
    )
    assert check_text("In 2023 there were 251,000 visitors.", asked).problems == ()
    assert check_text("In 2023 there were 251 visitors.", asked).problems


def test_a_range_needs_its_verb_only_where_another_one_says_the_opposite() -> None:
    depots = QueryResult(columns=("depot", "parcels"), rows=(("North", 5240), ("South", 3180)))
    sql = (
        "SELECT depot, COUNT(*) AS parcels FROM p WHERE shipped_on BETWEEN '2024-05-01' AND '2024-05-31' GROUP BY depot"
    )
    asked = Facts(question="How many parcels did each depot ship in May 2024?", result=depots, sql=sql)
    assert check_text("There were 5,240 parcels at North in May 2024.", asked).problems == ()
    assert check_text("North received 5,240 parcels in May 2024.", asked).problems


def test_a_quarter_and_another_form_of_a_value_are_added() -> None:
    cost = QueryResult(columns=("cost",), rows=((18400,),))
    sql = "SELECT SUM(cost) AS cost FROM repairs WHERE part = 'lift' AND day >= '2024-04-01' AND day < '2024-07-01'"
    asked = Facts(question="What was the cost of the lifts in the second quarter of 2024?", result=cost, sql=sql)
    assert check_text("The cost was 18,400.", asked).text == "The cost was 18,400 (second quarter of 2024, lifts)."
    assert check_text("For all repairs the cost was 18,400.", asked).problems
    other = Facts(question=asked.question, result=cost, sql=sql.replace("2024-04-01", "2024-05-01"))
    assert check_text("The cost was 18,400.", other).problems


@pytest.mark.parametrize(
    ("question", "columns", "row", "sentence"),
    [
        ("How many tickets did each team close?", "team tickets", ("Ops", 18), "The Ops team resolved 18 tickets."),
        ("Which supplier delivered the most pallets?", "supplier pallets", ("Ops", 18), "Ops shipped 18 pallets."),
        ("How much electricity was consumed per meter?", "meter kwh", ("Ops", 18), "Ops used 18 kWh."),
        ("Combien de colis livre chaque équipe ?", "équipe colis", ("Ops", 18), "La livraison de Ops compte 18 colis."),
        ("¿Cuántas plazas libres hay por curso?", "curso libres", ("Ops", 18), "Ops tiene 18 plazas disponibles."),
        ("Quanto hanno speso i clienti?", "cliente spesa", ("Ops", 18), "Ops ha acquistato di nuovo per 18."),
        ("Was kostet der Strom je Filiale?", "filiale stromkosten", ("Ops", 18), "Ops zahlte 18 für Strom."),
    ],
)
def test_near_words_stand_for_those_of_the_question(
    question: str, columns: str, row: tuple[str, int], sentence: str
) -> None:
    asked = Facts(question=question, result=QueryResult(columns=tuple(columns.split()), rows=(row, ("It", 7))))
    assert check_text(sentence, asked).problems == ()
    assert check_text(sentence.replace("Ops", "It", 1), asked).problems


@pytest.mark.parametrize("word", ["cancelled", "refused", "returned", "lost", "reopened"])
def test_words_of_another_deed_stand_for_none(word: str) -> None:
    asked = facts("How many tickets did each shop sell?")
    assert check_text(f"Bonn {word} 365 tickets.", asked).problems


def test_what_a_question_asks_for_is_no_plain_word() -> None:
    pumps = Facts(
        question="Which pumps were not used after 2023?",
        result=QueryResult(columns=("pump",), rows=(("Pump 4",), ("Pump 9",))),
        sql="SELECT pump FROM p WHERE used < '2024-01-01'",
    )
    assert check_text("Pump 4 and Pump 9 were not used after 2023.", pumps).problems == ()
    assert check_text("Pump 4 and Pump 9 were used after 2023.", pumps).problems


def test_that_date_is_the_one_of_the_question() -> None:
    overdue = Facts(
        question="How many loans were overdue on 31 March 2024?",
        result=QueryResult(columns=("n",), rows=((1284,),)),
        sql="SELECT COUNT(*) AS n FROM loans WHERE due_on < '2024-03-31'",
    )
    assert (
        check_text("1,284 loans were overdue on that date.", overdue).text == "1,284 loans were overdue on that date."
    )


def test_a_rate_may_be_the_highest_though_it_is_a_mean() -> None:
    def of(rows: tuple[tuple[str, float], ...]) -> Facts:
        return Facts(
            question="What share of pupils passed at each school?",
            result=QueryResult(columns=("school", "rate"), rows=rows),
            sql="SELECT school, AVG(passed) AS rate FROM exams GROUP BY school",
        )

    shares, marks = of((("Lane", 0.94), ("Hill", 0.81))), of((("Lane", 9.4), ("Hill", 8.1)))
    assert check_text("Lane has the highest rate, 94%.", shares).problems == ()
    assert check_text("Hill has the highest rate, 81%.", shares).problems
    assert check_text("Lane has the highest mark, 9.4.", marks).problems


CLINIC = Facts(
    question="What are the key figures of the clinic?",
    result=QueryResult(
        columns=("n_appointments", "n_no_show", "avg_wait_min", "longest_wait_min", "first_on"),
        rows=((642, 51, 23.4, 118, "2024-06-03"),),
    ),
    sql="SELECT COUNT(*) AS n_appointments, SUM(no_show) AS n_no_show, AVG(wait_min) AS avg_wait_min, "
    "MAX(wait_min) AS longest_wait_min, MIN(day) AS first_on FROM appointments",
)


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("The clinic had 642 appointments, of which 51 were no-shows.", True),
        ("The clinic had 642 appointments, of which 51 were non-members.", False),
        ("The clinic had 642 appointments; each took 23.4 minutes on average.", True),
        ("The wait at the clinic was 118 minutes at most.", True),
        ("The wait at the clinic was 642 minutes at most.", False),
        ("The first appointment of the clinic was on 3 June 2024.", True),
        ("The last appointment of the clinic was on 3 June 2024.", False),
    ],
)
def test_words_of_one_row(sentence: str, holds: bool) -> None:
    assert (check_text(sentence, CLINIC).problems == ()) is holds


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("Accounts was quickest, with 6.2 hours on average.", True),
        ("Accounts was the slowest, with 6.2 hours on average.", False),
        ("Payments was quickest, with 9.4 hours on average.", False),
    ],
)
def test_the_quickest_took_the_least_time(sentence: str, holds: bool) -> None:
    asked = Facts(
        question="How long did each team take on average?",
        result=QueryResult(columns=("team", "avg_hours"), rows=(("Payments", 9.4), ("Accounts", 6.2))),
        sql="SELECT team, AVG(hours) AS avg_hours FROM tickets GROUP BY team",
    )
    assert (check_text(sentence, asked).problems == ()) is holds


def test_a_condition_of_another_table_is_no_name_of_the_rows() -> None:
    materials = QueryResult(columns=("material", "tonnes"), rows=(("Glass", 862), ("Paper", 1240)))
    sql = "SELECT m.name AS material, SUM(v.t) AS tonnes FROM v JOIN m ON m.id = v.m JOIN p ON p.id = v.p {} GROUP BY 1"
    asked = Facts(
        question="How many tonnes of each material did Norte recycle?",
        result=materials,
        sql=sql.format("WHERE p.name = 'Norte'"),
        linked=(("Norte", "Norte"),),
    )
    assert check_text("Norte recycled 862 tonnes of Glass.", asked).problems == ()
    assert check_text("Sur recycled 862 tonnes of Glass.", asked).problems


def test_words_of_another_language_name_a_column() -> None:
    asked = Facts(
        question="Quanti punti ha fatto ogni giocatore?",
        result=QueryResult(columns=("player", "points"), rows=(("Okafor", 2114), ("Brandt", 2050))),
        sql="SELECT player, points FROM totals",
    )
    assert check_text("Okafor ha 2.114 punti.", asked).problems == ()
    assert check_text("Okafor ha 2.114 partite.", asked).problems


YIELDS = Facts(
    question="What is the average milk yield of each breed at Oakridge?",
    result=QueryResult(columns=("breed", "litres"), rows=(("Holstein", 31.2), ("Jersey", 21.8), ("Angler", None))),
    sql="SELECT breed, AVG(litres) AS litres FROM milk WHERE farm = 'Oakridge' GROUP BY breed",
)


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("There is no yield figure for the Angler at Oakridge.", True),
        ("No average yield is recorded for the Angler at Oakridge.", True),
        ("There is no yield figure for the Jersey at Oakridge.", False),
        ("The Angler at Oakridge gave no milk on average.", False),
    ],
)
def test_a_missing_value_is_denied_as_a_value(sentence: str, holds: bool) -> None:
    assert (check_text(sentence, YIELDS).problems == ()) is holds


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("La linea più lunga è la Nord, con 24,6 km.", True),
        ("La linea più lunga è la Sud, con 18,2 km.", False),
        ("La linea meno lunga è la Sud, con 18,2 km.", True),
        ("La linea Nord è più lunga della Sud.", True),
        ("La linea Sud è più lunga della Nord.", False),
    ],
)
def test_an_article_makes_a_comparison_a_superlative(sentence: str, holds: bool) -> None:
    lines = QueryResult(columns=("linea", "km"), rows=(("Nord", 24.6), ("Sud", 18.2)))
    asked = Facts(question="Quanto sono lunghe le linee?", result=lines, sql="SELECT linea, km FROM linee")
    assert (check_text(sentence, asked).problems == ()) is holds


def test_a_form_of_a_name_says_the_condition() -> None:
    none = QueryResult(columns=("supplier",), rows=())
    asked = Facts(
        question="Which suppliers are in Norway?",
        result=none,
        sql="SELECT supplier FROM s WHERE country = 'Norway'",
        linked=(("Norway", "Norway"),),
    )
    assert check_text("There are no Norwegian suppliers.", asked).problems == ()
    assert check_text("There are no suppliers.", asked).problems


def test_what_the_question_speaks_of_is_no_cause() -> None:
    routes = QueryResult(columns=("driver", "km"), rows=(("Ivo", 612),))
    asked = Facts(question="Which driver had the longest route?", result=routes, sql="SELECT driver, km FROM r")
    assert check_text("The longest route, 612 km, was driven by Ivo.", asked).problems == ()
    assert check_text("The longest route, 612 km, was driven by Ivo because of the detour.", asked).problems


def test_pieces_are_of_quantities_and_costs_are_paid() -> None:
    def of(column: str) -> Facts:
        rows = (("Savon", 870), ("Bougie", 640))
        return Facts(question="How is each product doing?", result=QueryResult(columns=("product", column), rows=rows))

    assert check_text("Savon had 870 units.", of("quantity")).problems == ()
    assert check_text("Savon had 870 units.", of("revenue")).problems
    assert check_text("For Savon we paid 870.", of("cost")).problems == ()
    assert check_text("For Savon we paid 870.", of("revenue")).problems


@pytest.mark.parametrize(("sentence", "holds"), [
    ("El turno más rápido es el de Alba, con una media de 4,2 minutos.", True),
    ("El turno más rápido es el de Luna, con una media de 11,5 minutos.", False),
    ("El turno más lento es el de Luna, con una media de 11,5 minutos.", True),
    ("El turno más lento es el de Alba, con una media de 4,2 minutos.", False),
])  # fmt: skip
def test_the_fastest_in_spanish_took_the_least_time(sentence: str, holds: bool) -> None:
    asked = Facts(
        question="¿Cuánto tardan de media los agentes de cada turno?",
        result=QueryResult(columns=("turno", "media_minutos"), rows=(("Alba", 4.2), ("Luna", 11.5))),
        sql="SELECT turno, AVG(minutos) AS media_minutos FROM r GROUP BY turno",
    )
    assert (check_text(sentence, asked).problems == ()) is holds


def test_what_rows_are_of_does_not_narrow_a_denial() -> None:
    asked = Facts(
        question="Quante camere libere ci sono in ogni hotel stasera?",
        result=QueryResult(columns=("hotel", "libere"), rows=(("Aurora", 3), ("Mare", 0))),
        sql="SELECT hotel, COUNT(*) AS libere FROM c WHERE day = '2025-06-01' GROUP BY hotel",
    )
    assert check_text("Stasera al Mare non c'è nessuna camera libera.", asked).problems == ()
    assert check_text("Stasera al Aurora non c'è nessuna camera libera.", asked).problems


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("Oak had the second highest sales, 620.", True),
        ("Oak had the second lowest sales, 620.", True),
        ("Elm had the second highest sales, 150.", False),
        ("Ash had the second lowest sales, 940.", False),
        ("Elm was in third place with 150 sales.", True),
        ("Elm was in second place with 150 sales.", False),
    ],
)
def test_a_place_is_counted_where_the_rows_have_no_order(sentence: str, holds: bool) -> None:
    rows = (("Elm", 150), ("Ash", 940), ("Oak", 620))
    asked = Facts(
        question="What were the sales of each shop?",
        result=QueryResult(columns=("shop", "sales"), rows=rows),
        sql="SELECT shop, SUM(x) AS sales FROM s GROUP BY shop",
    )
    assert (check_text(sentence, asked).problems == ()) is holds
