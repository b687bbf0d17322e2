"""Vectors of texts that were asked for lately are not computed again."""

from __future__ import annotations

from rag.embedding.embedder import QuestionVectors
from testbed.embedder import HashingEmbedder


def test_only_new_texts_are_computed_and_those_at_once() -> None:
    embedder = HashingEmbedder()
    vectors = QuestionVectors(embedder)
    first = vectors.embed(["city", "total", "city"])
    assert embedder.embedded == ["city", "total"]
    assert vectors.embed(["total", "country", "city"]) == [first[1], *HashingEmbedder().embed(["country"]), first[0]]
    assert embedder.embedded == ["city", "total", "country"]


def test_it_is_the_same_embedder_to_an_index() -> None:
    vectors = QuestionVectors(HashingEmbedder("small", dimension=12))
    assert (vectors.name, vectors.dimension, vectors.batch) == ("small", 12, None)


def test_the_texts_of_an_index_push_no_question_out() -> None:
    embedder = HashingEmbedder()
    vectors = QuestionVectors(embedder)
    vectors.embed(["city"])
    texts = [f"passage {number}" for number in range(5000)]
    assert vectors.embed(texts) == HashingEmbedder().embed(texts)
    vectors.embed(["city"])
    assert embedder.embedded.count("city") == 1


def test_the_longest_unused_are_forgotten() -> None:
    embedder = HashingEmbedder()
    vectors = QuestionVectors(embedder)
    vectors.embed(["city"])
    for number in range(3000):
        vectors.embed([f"question {number}"])
    vectors.embed(["question 2999"])
    vectors.embed(["city"])
    assert embedder.embedded.count("city") == 2
    assert embedder.embedded.count("question 2999") == 1
