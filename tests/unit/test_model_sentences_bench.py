"""`bench.model_sentences` falsifies a sentence in one way at a time, and leaves what the question says."""

from __future__ import annotations

from bench.model_sentences import falsify


def test_each_number_of_its_own_is_raised_and_two_are_swapped() -> None:
    found = list(falsify("The fare is 12 and the distance 4.5 in 2024.", "What are fare and distance in 2024?"))

    assert found == [
        ("number", "The fare is 13 and the distance 4.5 in 2024."),
        ("number", "The fare is 12 and the distance 4.950 in 2024."),
        ("swap", "The fare is 4.5 and the distance 12 in 2024."),
    ]


def test_one_word_is_exchanged_for_its_opposite() -> None:
    assert list(falsify("Ada has the most trips.", "Who has the most trips?")) == [
        ("opposite", "Ada has the least trips.")
    ]


def test_a_sentence_that_says_both_words_is_not_exchanged() -> None:
    assert not list(falsify("The highest and the lowest are equal.", "Which are equal?"))


def test_what_the_question_has_and_what_stands_in_quotes_stays() -> None:
    assert [
        text for _, text in falsify("In 2024, 12 cars were sold.", "How many cars were sold in 2024 and 2012?")
    ] == ["In 2024, 13 cars were sold."]
    assert not list(falsify('The film is "Most Wanted" and "A most quiet man".', "Which film?"))
