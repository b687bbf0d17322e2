"""Linking: fused rankings, values assigned to columns, explained terms."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table
from rag.docs.documents import Retrieved, make_document
from rag.linking.fusion import fuse_ranks
from rag.linking.linking import MAX_OFFERS, MAX_VALUES, Linked, Near, NearColumn, NearValue, SchemaLinker, Signal
from rag.linking.schema_ranking import document_scores, table_scores
from rag.linking.values import StoredValues


def table(name: str, *columns: str) -> Table:
    return Table(name=name, columns=tuple(Column(name=column, type="TEXT") for column in columns))


SCHEMA = Schema(
    database="d",
    dialect="sqlite",
    tables=(
        table("heroes", "id", "full_name", "race_id"),
        table("race", "id", "race"),
        table("publisher", "id", "publisher_name"),
        table("college", "id", "state"),
        table("payments", "id", "status"),
    ),
)
RULE = make_document("rule", "TUC (total users counted) = COUNT(*) of payments WHERE status = 'success'")
STORED = (
    StoredValues(table="race", column="race", values=("Vampire", "Amazon")),
    StoredValues(table="publisher", column="publisher_name", values=("George Lucas",)),
    StoredValues(table="college", column="state", values=("CA", "NY")),
    StoredValues(table="payments", column="status", values=("success", "failed")),
)
LINKER = SchemaLinker(SCHEMA, (RULE,), STORED)


def tables(linked: Linked) -> list[str]:
    return [ranked.table for ranked in linked.ranking.tables]


def values(linked: Linked) -> list[tuple[str, str, str]]:
    return [(value.table, value.column, value.value) for value in linked.values]


# --------------------------------------------------------------------------------------------------- ranks


def test_ranks_are_fused_not_scores() -> None:
    fused = fuse_ranks([({"a": 0.9, "b": 0.1}, 1.0), ({"b": 1000.0, "c": 1.0}, 1.0)])
    assert max(fused, key=lambda key: fused[key]) == "b"
    assert fused["a"] > fused["c"]


def test_what_a_ranking_did_not_find_gets_nothing_from_it() -> None:
    assert set(fuse_ranks([({"a": 1.0}, 1.0), ({}, 1.0)])) == {"a"}


def test_equal_scores_share_their_place() -> None:
    fused = fuse_ranks([({"a": 1.0, "b": 1.0, "c": 0.5}, 1.0)])
    assert fused["a"] == fused["b"] > fused["c"]


def test_a_ranking_of_little_weight_decides_where_the_others_are_even() -> None:
    fused = fuse_ranks([({"a": 2.0, "b": 1.0}, 1.0), ({"b": 2.0, "a": 1.0}, 1.0), ({"b": 1.0}, 0.1)])
    assert fused["b"] > fused["a"]


def test_a_table_is_as_near_as_its_best_column_and_a_little_for_the_next_two() -> None:
    scores = table_scores({("t", "a"): 1.0, ("t", "b"): 0.5, ("t", "c"): 0.5, ("t", "d"): 0.5, ("u", ""): 1.0})
    assert scores == pytest.approx({"t": 1.3, "u": 1.0})


def test_a_query_that_was_right_points_to_the_tables_and_columns_that_it_names() -> None:
    query = make_document("query", "Which ones?", sql="SELECT full_name FROM heroes")
    scores = document_scores(SCHEMA, (Retrieved(document=query, score=0.5),))
    assert scores == pytest.approx({("heroes", ""): 0.3, ("heroes", "full_name"): 0.3})


# --------------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    "question, first, why",
    [
        ("How many heroes are there?", "heroes", "a table's name"),
        ("Count the vampires.", "race", "only a value tells"),
        ("What is the TUC?", "payments", "a term that a rule explains"),
    ],
)
def test_each_signal_finds_what_the_others_cannot(question: str, first: str, why: str) -> None:
    assert tables(LINKER.link(question))[0] == first, why


def test_what_is_near_in_meaning_is_found_without_a_common_word() -> None:
    near = Near(question=(NearColumn(table="college", column="state", score=0.4),))
    linked = LINKER.link("Where do they study?", near=near)
    assert tables(linked) == ["college"]
    assert [(it.table, it.column) for it in linked.ranking.columns] == [("college", "state")]


def test_a_phrase_of_many_says_less_than_the_whole_question() -> None:
    whole = (NearColumn(table="heroes", column="full_name", score=0.4),)
    phrases = ((NearColumn(table="college", column="state", score=0.9),), ())
    assert tables(LINKER.link("?", near=Near(question=whole, phrases=phrases))) == ["heroes", "college"]


@pytest.mark.parametrize(
    "signal, expected",
    [("dense", ["college"]), ("lexical", ["heroes"]), ("documents", ["payments"]), ("values", ["race"])],
)
def test_signals_can_be_heard_alone(signal: Signal, expected: list[str]) -> None:
    near = Near(question=(NearColumn(table="college", column="state", score=0.4),))
    assert tables(LINKER.link("heroes who are vampires, by TUC", near=near, signals={signal})) == expected


def test_a_question_about_nothing_here_is_linked_to_nothing() -> None:
    assert LINKER.link("Why?") == Linked()


# --------------------------------------------------------------------------------------------------- terms


def test_a_rule_that_explains_a_term_is_found_by_its_abbreviation_alone() -> None:
    assert LINKER.link("What is the TUC?").rules == (RULE,)


def test_a_rule_that_retrieval_found_already_is_not_found_twice() -> None:
    linked = LINKER.link("What is the TUC?", relevant=(Retrieved(document=RULE, score=0.2),))
    assert linked.rules == ()
    assert tables(linked)[0] == "payments"


def test_a_rule_whose_term_is_not_used_is_not_heard() -> None:
    assert LINKER.link("How many heroes?").rules == ()


def test_a_value_that_a_rule_has_in_quotes_is_linked() -> None:
    assert ("payments", "status", "success") in values(LINKER.link("What is the TUC?"))


# --------------------------------------------------------------------------------------------------- values


def test_what_is_near_in_meaning_is_offered() -> None:
    near = Near(values=(NearValue(table="college", column="state", value="CA", mention="California", score=0.8),))
    (value,) = LINKER.link("Which college is in California?", near=near).values
    assert (value.value, value.how, value.is_sure) == ("CA", "meaning", False)


@pytest.mark.parametrize(
    "question, said, score, why",
    [
        ("Which college is in California?", "California", 0.3, "not near enough"),
        ("Which college has which state?", "state", 0.9, "a word of the schema's own names"),
        ("Which college was it in 2023?", "2023", 0.9, "a number"),
        ("What is the STR of each college?", "STR", 0.9, "an abbreviation"),
    ],
)
def test_is_not_offered(question: str, said: str, score: float, why: str) -> None:
    near = Near(values=(NearValue(table="college", column="state", value="CA", mention=said, score=score),))
    assert LINKER.link(question, near=near).values == (), why


def test_an_offer_is_made_beside_a_sure_value_only_in_a_table_that_the_question_is_more_about() -> None:
    schema = Schema(database="d", dialect="sqlite", tables=(table("college", "state"), table("singer", "name")))
    stored = [StoredValues(table="singer", column="name", values=("California",))]
    linker = SchemaLinker(schema, (), stored)
    near = Near(values=(NearValue(table="college", column="state", value="CA", mention="California", score=0.8),))
    both = [("singer", "name", "California"), ("college", "state", "CA")]
    assert values(linker.link("How many colleges are in California?", near=near)) == both
    assert values(linker.link("Does the singer live in California?", near=near)) == both[:1]


def test_a_sure_value_beside_a_name_of_the_schema_means_nothing_else() -> None:
    offered = NearValue(table="publisher", column="publisher_name", value="George Lucas", mention="{}", score=0.6)
    for said, whole in (("vampire heroes", False), ("winged heroes", True)):
        near = Near(values=(offered._replace(mention=said),))
        found = values(LINKER.link(f"How tall are the {said}?", near=near))
        assert (("publisher", "publisher_name", "George Lucas") in found) is whole, said


@pytest.mark.parametrize(
    "place, column, why",
    [
        ("college", "state", "marked private since it was read"),
        ("college", "county", "the column is gone"),
        ("school", "state", "the table is gone"),
    ],
)
def test_a_value_that_was_kept_of_a_column_that_may_not_be_shown_any_more_is_not_told(
    place: str, column: str, why: str
) -> None:
    private = Column(name="state", type="TEXT", private=True)
    schema = Schema(database="d", dialect="sqlite", tables=(Table(name="college", columns=(private,)),))
    near = Near(values=(NearValue(table=place, column=column, value="CA", mention="California", score=0.8),))
    linker = SchemaLinker(schema, (), [StoredValues(table=place, column=column, values=("CA",))])
    assert linker.link("Which college is in California, CA?", near=near).values == (), why


def test_columns_of_tables_that_the_question_is_about_come_first() -> None:
    schema = Schema(database="d", dialect="sqlite", tables=(table("agents", "country"), table("users", "country")))
    stored = [StoredValues(table=name, column="country", values=("Peru",)) for name in ("agents", "users")]
    linked = SchemaLinker(schema, (), stored).link("How many users are from Peru?")
    assert [value.table for value in linked.values] == ["users", "agents"]


def test_sure_values_come_before_offers_and_there_are_not_too_many() -> None:
    names = ("Anna", "Bruno", "Clara", "David", "Elena", "Felix", "Greta", "Hanno", "Ilona", "Jonas", "Klara", "Lukas")
    schema = Schema(database="d", dialect="sqlite", tables=tuple(table(f"t{n}", "name") for n in range(3)))
    stored = [StoredValues(table=f"t{n}", column="name", values=names) for n in range(3)]
    linked = SchemaLinker(schema, (), stored).link(f"Who is older: {', '.join(names)}, Annna or Brunno?")
    assert len(linked.values) == MAX_VALUES
    assert all(value.is_sure for value in linked.values)
    offers = SchemaLinker(schema, (), stored).link("Annna, Brunno, Claraa, Daviid, Elenna").values
    assert 0 < len(offers) <= MAX_OFFERS


@pytest.mark.parametrize("said", ["NY vampire heroes", "NY vampires"])
def test_words_that_values_explain_between_them_mean_nothing_else(said: str) -> None:
    near = NearValue(table="publisher", column="publisher_name", value="George Lucas", mention=said, score=0.7)

    linked = LINKER.link(f"Count the {said}.", near=Near(values=(near,)))

    assert values(linked) == [("college", "state", "NY"), ("race", "race", "Vampire")]
