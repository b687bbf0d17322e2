"""Small talk by meaning: a message that is nearer to small talk than to a question about data, in any language.

The examples are what people say to a program that answers questions about data. The multilingual model compares a
message with all of them. Those of one language would nearly suffice, because translations are near each other.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, NamedTuple

from agent.core.kinds import Talk
from agent.understanding.reading import SmallTalk, language_of, small_talk
from executors.base import Schema
from rag.errors import RetrievalError
from rag.identity_cache import IdentityCache
from rag.words import telling_words, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agent.core.models import Question
    from agent.databases.database import Database
    from rag.embedding.embedder import Embedder

PATIENCE_S = 5.0  # for the model; where it takes longer, the message is a question for SQL
# How much nearer a message is to small talk, by the mean cosine of the two nearest examples of each side: measured by
# `python -m bench.multilingual`. SURE is for a message that has a word of the schema or values, or follows another one.
NEARER, SURE = 0.10, 0.30
_NEAREST = 2
_MOST_WORDS = 15  # of small talk that is known by its meaning alone
_COMPUTED = re.compile(r"\b(?:how (?:many|much)|number of|total|average|for each)\b", re.IGNORECASE)
_NAMED = 2  # words of the schema or values, and more than half of those that tell something: no small talk has them


def _lines(text: str) -> tuple[str, ...]:
    return tuple(it.strip() for it in text.strip().splitlines())


_TALK_TEXTS = {
    Talk.GREETING: """
        hello there
        good morning everyone
        hi, nice to see you
        good evening, is anybody here?
        guten Tag zusammen
        bonsoir à tous
        buenas tardes a todos
        buongiorno a tutti
        안녕하세요, 반갑습니다
    """,
    Talk.WELLBEING: """
        how are you doing?
        how is it going today?
        hope you are well
        wie geht es dir?
        comment ça va ?
        ¿qué tal, cómo estás?
        come va, tutto bene?
        잘 지냈어요?
    """,
    Talk.THANKS: """
        thank you very much, that was helpful
        thanks a lot, exactly what I needed
        you saved me, I owe you one
        vielen Dank für die Hilfe
        merci beaucoup, c'est très gentil
        muchas gracias, me ayudaste mucho
        grazie mille, sei stato utile
        도와주셔서 정말 고맙습니다
    """,
    Talk.FAREWELL: """
        goodbye, see you tomorrow
        bye, have a nice evening
        I am leaving now, take care
        auf Wiedersehen, bis morgen
        au revoir, à bientôt
        adiós, hasta mañana
        arrivederci, a domani
        안녕히 계세요, 내일 봐요
    """,
    Talk.AGREEMENT: """
        great, well done
        okay, I understand
        that is perfect
        no problem, never mind
        sorry, my mistake
        sehr gut, alles klar
        parfait, c'est compris
        perfecto, entendido
        perfetto, ho capito
        좋아요, 알겠습니다
    """,
    Talk.WHO: """
        who are you?
        what is your name?
        are you a human or a robot?
        who made you?
        how old are you?
        do you speak German?
        who is behind you?
        what language model are you?
        bist du ein Mensch oder eine Maschine?
        tu es un robot ?
        ¿eres una persona real?
        come ti chiami?
        당신은 누구인가요?
    """,
    Talk.HELP: """
        what can you do for me?
        how can you help me?
        what can I ask you?
        how does this work?
        I need help
        give me some examples of questions
        what are you good for?
        what is your purpose?
        what is the deal with you?
        ¿para qué sirves?
        à quoi sers-tu ?
        a che cosa servi?
        wozu bist du da?
        wobei kannst du mir helfen?
        comment peux-tu m'aider ?
        ¿en qué me puedes ayudar?
        cosa posso chiederti?
        무엇을 도와줄 수 있나요?
    """,
    Talk.CHATTER: """
        tell me a joke
        what is the weather like today?
        sing me a song
        do you love me?
        what is the meaning of life?
        what time is it now?
        I am bored, let's chat
        write me a poem
        I am hungry and tired
        erzähl mir einen Witz
        raconte-moi une histoire drôle
        cuéntame un chiste
        raccontami una barzelletta
        농담 하나 해줘
    """,
}
TALK = {talk: _lines(text) for talk, text in _TALK_TEXTS.items()}
DATA = _lines("""
    how many customers are there?
    how many orders were placed last month?
    what is the average price of a product?
    total sales by country
    list all employees who were hired in 2020
    which team won the most games?
    who has the highest salary?
    show me the names of the students
    when was the last delivery?
    what is the name of the oldest patient?
    which city has the most inhabitants?
    revenue per month
    the five most expensive items
    what did we sell the most?
    who is responsible for the project in Berlin?
    how long did the average trip take?
    what share of the flights was cancelled?
    top ten cities
    find people who live in Paris
    count the open tickets
    is the total higher than last year?
    what is the weight of the parcel?
    where do our guests come from?
    how much money did they spend?
    who teaches mathematics?
    who manages whom?
    who are they?
    what are their names?
    who are the friends of Anna?
    who works here?
    whose is it?
    what is the birthday of the employee with this name?
    who is the youngest person?
    and in Germany?
    and by country?
    now only the first ten
    the same for last year
    why?
    sort them by name
    what is the temperature in each room?
    which songs are longer than three minutes?
    describe the orders table
    what tables are in the database?
    what columns does the table have?
    what does this column mean?
    how are the two tables related?
    how fresh is the data?
    what data do you have?
    wie viele Bestellungen gab es im Mai?
    Umsatz je Kategorie
    wer hat am meisten gekauft?
    welche Spalten hat die Tabelle?
    combien de clients y a-t-il ?
    chiffre d'affaires par pays
    qui a acheté le plus ?
    quelles tables y a-t-il ?
    ¿cuántos pedidos hay?
    ¿qué producto es el más caro?
    ¿quién vendió más?
    ¿qué datos tienes?
    quanti ordini ci sono?
    qual è il prezzo medio?
    chi ha speso di più?
    che dati ci sono?
    주문은 몇 건인가요?
    월별 매출을 보여줘
    누가 가장 많이 샀나요?
    어떤 테이블이 있나요?
""")  # fmt: skip


class Nearness(NamedTuple):
    """How much nearer a message is to small talk than to questions about data, as a difference of cosines, and to which
    kind.
    """

    by: float
    talk: Talk


async def read_small_talk(question: Question, database: Database, meaning: Embedder | None) -> SmallTalk | None:
    """What small talk a message is; a confirmation's words are not read, and a reply to what was asked back is none.

    By its words, which need no model; else by its meaning, where the multilingual one is installed. "Ask anyway" asks
    for a query, and so does a number, a message that mostly names the data, or one that names some of it and a count,
    total or average. Raises DatabaseUnavailable: the schema, whose words make a message a question, cannot be read.
    """
    if question.options.confirm is not None:
        return None
    found = small_talk(question.text)
    if found is not None or meaning is None or question.pending is not None or question.options.clarify is False:
        return found
    if re.search(r"\d", question.text):
        return None
    telling = telling_words(question.text)
    named = telling & words_of_data(await database.schema())
    # Whatever these are near to: the first question of a process does without loading the model.
    if len(named) >= _NAMED and len(named) > len(telling) / 2:
        return None
    if named and _COMPUTED.search(question.text):
        return None
    near = await nearness(question.text, meaning)
    if near is None or near.by < NEARER:
        return None
    if near.by < SURE and (named or question.history):
        return None
    return SmallTalk(near.talk, language_of(question.text))


async def nearness(text: str, meaning: Embedder) -> Nearness | None:
    """How much nearer a message is to small talk than to questions; None where nobody can tell, or it is too long."""
    if len(text.split()) > _MOST_WORDS:
        return None
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await asyncio.to_thread(_nearness, text, meaning)
    except (RetrievalError, TimeoutError):
        return None


def _nearness(text: str, meaning: Embedder) -> Nearness:
    """Blocks. Raises EmbedderUnavailable."""
    import numpy as np

    talk, data = _examples(meaning)
    vector = np.asarray(meaning.embed([text])[0])
    to_talk, to_data = talk @ vector, data @ vector
    by = np.sort(to_talk)[-_NEAREST:].mean() - np.sort(to_data)[-_NEAREST:].mean()
    kinds = [kind for kind, lines in TALK.items() for _ in lines]
    return Nearness(float(by), kinds[int(to_talk.argmax())])


@IdentityCache
def words_of_data(schema: Schema) -> frozenset[str]:
    """The stems of names and of sampled values: a message that has one of them may well be about the data."""
    texts: list[str] = []
    for table in schema.tables:
        texts.append(table.parts[-1])
        for column in table.columns:
            texts += [column.name, *(() if column.private else column.samples)]
    return words(" ".join(texts))


_VECTORS: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}  # by the model's name


def _examples(meaning: Embedder) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The vectors of both sides' examples, a row for each; computed once. Raises EmbedderUnavailable."""
    import numpy as np

    if meaning.name not in _VECTORS:
        talk = [line for lines in TALK.values() for line in lines]
        vectors = np.asarray(meaning.embed([*talk, *DATA]))
        _VECTORS[meaning.name] = vectors[: len(talk)], vectors[len(talk) :]
    return _VECTORS[meaning.name]
