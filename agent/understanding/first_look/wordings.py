"""The wordings of sample questions, in the supported languages.

Names stay as the schema writes them, so no sentence depends on their gender or number.
"""

from __future__ import annotations

from typing import Literal

from executors.base import Frozen

Kind = Literal["groups", "months", "year", "highest", "counts", "total", "count"]


class Wording(Frozen):
    """Sentences with placeholders: `rows` a table, `category`, `name` and `date` columns, `measure` a sum or a mean.

    most: the largest sum or mean. by: which of several dates is used. aggregate: in English only, as
        `suggest.aggregate_of` writes it.
    """

    sum: str
    mean: str
    most_sum: str
    most_mean: str
    by: str
    groups: str
    months: str
    year: str
    highest: str
    counts: str
    total: str
    count: str


WORDINGS: dict[str, Wording] = {
    "en": Wording(
        sum="{aggregate}",
        mean="{aggregate}",
        most_sum="the highest {aggregate}",
        most_mean="the highest {aggregate}",
        by=" by {date}",
        groups="What is the {measure} of {rows} for each {category}?",
        months="What was the {measure} of {rows} in each month of {year}{by}?",
        year="How many {rows} were there in {year}{by}?",
        highest="Which {category} has {most} of {rows}?",
        counts="How many {rows} are there for each {category}?",
        total="What is the {measure} of all {rows}?",
        count="How many {rows} are there?",
    ),
    "de": Wording(
        sum="die Summe von {name}",
        mean="der Durchschnitt von {name}",
        most_sum="die größte Summe von {name}",
        most_mean="den größten Durchschnitt von {name}",
        by=" nach {date}",
        groups="Wie hoch ist {measure} in {rows} je {category}?",
        months="Wie hoch war {measure} in {rows} in jedem Monat von {year}{by}?",
        year="Wie viele {rows} gab es im Jahr {year}{by}?",
        highest="Welcher Wert von {category} hat {most} in {rows}?",
        counts="Wie viele {rows} gibt es je {category}?",
        total="Wie hoch ist {measure} über alle {rows}?",
        count="Wie viele {rows} gibt es?",
    ),
    "fr": Wording(
        sum="le total de {name}",
        mean="la moyenne de {name}",
        most_sum="le plus grand total de {name}",
        most_mean="la plus grande moyenne de {name}",
        by=" selon {date}",
        groups="À combien s’élève {measure} dans {rows} par {category} ?",
        months="À combien s’élevait {measure} dans {rows} pour chaque mois de {year}{by} ?",
        year="Combien de {rows} y a-t-il eu en {year}{by} ?",
        highest="Quelle valeur de {category} a {most} dans {rows} ?",
        counts="Combien de {rows} y a-t-il par {category} ?",
        total="À combien s’élève {measure} sur l’ensemble de {rows} ?",
        count="Combien de {rows} y a-t-il ?",
    ),
    "es": Wording(
        sum="el total de {name}",
        mean="el promedio de {name}",
        most_sum="el mayor total de {name}",
        most_mean="el mayor promedio de {name}",
        by=" según {date}",
        groups="¿Cuál es {measure} en {rows} por {category}?",
        months="¿Cuál fue {measure} en {rows} en cada mes de {year}{by}?",
        year="¿Cuántos {rows} hubo en {year}{by}?",
        highest="¿Qué valor de {category} tiene {most} en {rows}?",
        counts="¿Cuántos {rows} hay por {category}?",
        total="¿Cuál es {measure} de todos los {rows}?",
        count="¿Cuántos {rows} hay?",
    ),
    "it": Wording(
        sum="il totale di {name}",
        mean="la media di {name}",
        most_sum="il totale più alto di {name}",
        most_mean="la media più alta di {name}",
        by=" secondo {date}",
        groups="Qual è {measure} in {rows} per {category}?",
        months="A quanto ammonta {measure} in {rows} in ogni mese del {year}{by}?",
        year="Quanti {rows} ci sono stati nel {year}{by}?",
        highest="Quale valore di {category} ha {most} in {rows}?",
        counts="Quanti {rows} ci sono per {category}?",
        total="Qual è {measure} di tutti i {rows}?",
        count="Quanti {rows} ci sono?",
    ),
    "ko": Wording(
        sum="{name} 합계는",
        mean="{name} 평균은",
        most_sum="{name} 합계가 가장 높은",
        most_mean="{name} 평균이 가장 높은",
        by="{date} 기준으로 ",
        groups="{rows}의 {category}별 {measure} 얼마인가요?",
        months="{by}{year}년 {rows}의 월별 {measure} 얼마인가요?",
        year="{by}{year}년 {rows} 건수는 얼마인가요?",
        highest="{rows}에서 {most} {category} 값은 무엇인가요?",
        counts="{rows}의 {category}별 건수는 얼마인가요?",
        total="전체 {rows}의 {measure} 얼마인가요?",
        count="{rows} 건수는 모두 얼마인가요?",
    ),
    "zh": Wording(
        sum="{name} 的合计",
        mean="{name} 的平均值",
        most_sum="{name} 的合计最高",
        most_mean="{name} 的平均值最高",
        by="按 {date}，",
        groups="{rows} 中每个 {category} 的 {measure}是多少？",
        months="{by}{year} 年每个月 {rows} 中 {measure}是多少？",
        year="{by}{year} 年有多少 {rows}？",
        highest="{rows} 中哪个 {category} 的 {most}？",
        counts="每个 {category} 有多少 {rows}？",
        total="所有 {rows} 中 {measure}是多少？",
        count="有多少 {rows}？",
    ),
}
