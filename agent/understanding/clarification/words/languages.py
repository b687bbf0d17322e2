# ruff: noqa: E501
"""The texts of clarifications in seven languages. Other languages get English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from agent.understanding.followups.words import LANGUAGES
from executors.base import Frozen

Language = Literal["en", "de", "fr", "es", "it", "ko", "zh"]


class Frames(Frozen):
    """Sentences with named placeholders. `mention` holds the question's own words, `column` a name of the schema."""

    language: Language
    vague_time: str
    vague_time_unknown: str
    two_dates: str
    several_values: str
    many_values: str
    several_columns: str
    vague_measure: str
    vague_limit: str
    missing_context: str
    above_average: str
    below_average: str
    missing: str
    nothing_near: str
    lacking: str
    read_as: str
    instead: str
    assumed: str
    failed: str
    went_wrong: str
    last_days: str
    last_months: str
    period: str
    days: str
    by_date: str
    all_of: str
    all_named: str
    by: str
    total: str
    number_of: str


EN = Frames(
    language="en",
    vague_time="Which time do you mean by “{mention}”? {column} goes from {first} to {last}.",
    vague_time_unknown="Which time do you mean by “{mention}”, counted by {column}?",
    two_dates="“{mention}”: by which date? {ranges}.",
    several_values="“{mention}” matches {count} values of {column}. Which one do you mean?",
    many_values="“{mention}” matches more than {count} values of {column}. Which one do you mean, for example?",
    several_columns="“{mention}” stands in more than one place. Which one do you mean?",
    vague_measure="“{mention}”: measured by what?",
    vague_limit="“{mention}”: what is the limit?",
    missing_context="This seems to continue an earlier message, but there is none. What is it about?",
    above_average="{name} above the average",
    below_average="{name} below the average",
    missing="This database holds nothing about “{mention}”. It is about {tables}.",
    nothing_near="Nothing in this database seems to be about “{mention}”.",
    lacking="No table or column looks like “{mention}”.",
    read_as="No table or column is called “{mention}”; the nearest is {near}.",
    instead="You could ask instead:",
    assumed="“{mention}” was taken to mean {meant}.",
    failed="I could not answer this from the data.",
    went_wrong="What went wrong:",
    last_days="the last {n} days",
    last_months="the last {n} months",
    period="from {first} to {last}",
    days="{column} from {first} to {last}",
    by_date="by {name}",
    all_of="all of them",
    all_named="all {rows} whose {name} contains {mention}",
    by="by {name}",
    total="total {name}",
    number_of="number of {name}",
)
DE = Frames(
    language="de",
    vague_time="Welcher Zeitraum ist mit „{mention}“ gemeint? {column} reicht von {first} bis {last}.",
    vague_time_unknown="Welcher Zeitraum ist mit „{mention}“ gemeint, nach {column}?",
    two_dates="„{mention}“: nach welchem Datum? {ranges}.",
    several_values="„{mention}“ passt auf {count} Werte von {column}. Welcher ist gemeint?",
    many_values="„{mention}“ passt auf mehr als {count} Werte von {column}. Welcher ist gemeint, zum Beispiel?",
    several_columns="„{mention}“ steht an mehreren Stellen. Welche ist gemeint?",
    vague_measure="„{mention}“: woran gemessen?",
    vague_limit="„{mention}“: ab welchem Wert?",
    missing_context="Das scheint an eine frühere Nachricht anzuschließen, aber es gibt keine. Worum geht es?",
    above_average="{name} über dem Durchschnitt",
    below_average="{name} unter dem Durchschnitt",
    missing="Zu „{mention}“ enthält diese Datenbank nichts. Sie handelt von {tables}.",
    nothing_near="Nichts in dieser Datenbank scheint von „{mention}“ zu handeln.",
    lacking="Keine Tabelle oder Spalte sieht nach „{mention}“ aus.",
    read_as="Keine Tabelle oder Spalte heißt „{mention}“; am nächsten ist {near}.",
    instead="Stattdessen lässt sich zum Beispiel fragen:",
    assumed="„{mention}“ wurde verstanden als {meant}.",
    failed="Das konnte ich aus den Daten nicht beantworten.",
    went_wrong="Was schiefging:",
    last_days="die letzten {n} Tage",
    last_months="die letzten {n} Monate",
    period="vom {first} bis {last}",
    days="{column} von {first} bis {last}",
    by_date="nach {name}",
    all_of="alle zusammen",
    all_named="alle {rows}, deren {name} {mention} enthält",
    by="nach {name}",
    total="Summe {name}",
    number_of="Anzahl {name}",
)
FR = Frames(
    language="fr",
    vague_time="Quelle période entendez-vous par « {mention} » ? {column} va du {first} au {last}.",
    vague_time_unknown="Quelle période entendez-vous par « {mention} », selon {column} ?",
    two_dates="« {mention} » : selon quelle date ? {ranges}.",
    several_values="« {mention} » correspond à {count} valeurs de {column}. Laquelle ?",
    many_values="« {mention} » correspond à plus de {count} valeurs de {column}. Laquelle, par exemple ?",
    several_columns="« {mention} » figure à plusieurs endroits. Lequel ?",
    vague_measure="« {mention} » : selon quelle mesure ?",
    vague_limit="« {mention} » : à partir de quelle limite ?",
    missing_context="Cela semble poursuivre un message précédent, mais il n’y en a pas. De quoi s’agit-il ?",
    above_average="{name} au-dessus de la moyenne",
    below_average="{name} au-dessous de la moyenne",
    missing="Cette base ne contient rien sur « {mention} ». Elle porte sur {tables}.",
    nothing_near="Rien dans cette base ne semble porter sur « {mention} ».",
    lacking="Aucune table ni colonne ne ressemble à « {mention} ».",
    read_as="Aucune table ni colonne ne s’appelle « {mention} » ; la plus proche est {near}.",
    instead="Vous pourriez demander :",
    assumed="« {mention} » a été compris comme {meant}.",
    failed="Je n’ai pas pu répondre à cela à partir des données.",
    went_wrong="Ce qui a échoué :",
    last_days="les {n} derniers jours",
    last_months="les {n} derniers mois",
    period="du {first} au {last}",
    days="{column} du {first} au {last}",
    by_date="selon {name}",
    all_of="toutes ensemble",
    all_named="tous les {rows} dont {name} contient {mention}",
    by="selon {name}",
    total="total {name}",
    number_of="nombre de {name}",
)
ES = Frames(
    language="es",
    vague_time="¿Qué período quiere decir con «{mention}»? {column} va del {first} al {last}.",
    vague_time_unknown="¿Qué período quiere decir con «{mention}», según {column}?",
    two_dates="«{mention}»: ¿según qué fecha? {ranges}.",
    several_values="«{mention}» coincide con {count} valores de {column}. ¿Cuál?",
    many_values="«{mention}» coincide con más de {count} valores de {column}. ¿Cuál, por ejemplo?",
    several_columns="«{mention}» aparece en varios lugares. ¿Cuál?",
    vague_measure="«{mention}»: ¿según qué medida?",
    vague_limit="«{mention}»: ¿a partir de qué límite?",
    missing_context="Esto parece continuar un mensaje anterior, pero no hay ninguno. ¿De qué se trata?",
    above_average="{name} por encima de la media",
    below_average="{name} por debajo de la media",
    missing="Esta base de datos no contiene nada sobre «{mention}». Trata de {tables}.",
    nothing_near="Nada en esta base de datos parece tratar de «{mention}».",
    lacking="Ninguna tabla ni columna se parece a «{mention}».",
    read_as="Ninguna tabla ni columna se llama «{mention}»; la más cercana es {near}.",
    instead="En su lugar podría preguntar:",
    assumed="«{mention}» se entendió como {meant}.",
    failed="No he podido responder a esto con los datos.",
    went_wrong="Lo que falló:",
    last_days="los últimos {n} días",
    last_months="los últimos {n} meses",
    period="del {first} al {last}",
    days="{column} del {first} al {last}",
    by_date="según {name}",
    all_of="todos juntos",
    all_named="todos los {rows} cuyo {name} contiene {mention}",
    by="según {name}",
    total="total {name}",
    number_of="número de {name}",
)
KO = Frames(
    language="ko",
    vague_time="“{mention}”은(는) 어느 기간인가요? {column}의 범위는 {first}부터 {last}까지입니다.",
    vague_time_unknown="“{mention}”은(는) {column} 기준으로 어느 기간인가요?",
    two_dates="“{mention}”: 어느 날짜를 기준으로 할까요? {ranges}.",
    several_values="“{mention}”에 해당하는 {column} 값이 {count}개 있습니다. 어느 것인가요?",
    many_values="“{mention}”에 해당하는 {column} 값이 {count}개보다 많습니다. 예를 들어 어느 것인가요?",
    several_columns="“{mention}”이(가) 여러 곳에 있습니다. 어느 것인가요?",
    vague_measure="“{mention}”: 무엇을 기준으로 할까요?",
    vague_limit="“{mention}”: 어느 값부터인가요?",
    missing_context="앞선 메시지에 이어지는 질문 같지만 앞선 메시지가 없습니다. 무엇에 관한 질문인가요?",
    above_average="{name}이(가) 평균보다 높은 것",
    below_average="{name}이(가) 평균보다 낮은 것",
    missing="이 데이터베이스에는 “{mention}”에 관한 데이터가 없습니다. 다루는 것: {tables}.",
    nothing_near="이 데이터베이스에는 “{mention}”에 관한 것이 없어 보입니다.",
    lacking="“{mention}”와(과) 비슷한 테이블이나 컬럼이 없습니다.",
    read_as="“{mention}”(이)라는 테이블이나 컬럼은 없습니다. 가장 가까운 것: {near}.",
    instead="대신 이렇게 물어볼 수 있습니다:",
    assumed="“{mention}”은(는) {meant}(으)로 이해했습니다.",
    failed="데이터에서 이 질문의 답을 찾지 못했습니다.",
    went_wrong="문제가 된 점:",
    last_days="최근 {n}일",
    last_months="최근 {n}개월",
    period="{first}부터 {last}까지",
    days="{column}: {first}부터 {last}까지",
    by_date="{name} 기준",
    all_of="모두 합쳐서",
    all_named="{name}에 {mention}이(가) 있는 모든 {rows}",
    by="{name} 기준",
    total="{name} 합계",
    number_of="{name} 수",
)

IT = Frames(
    language="it",
    vague_time="Quale periodo intende con «{mention}»? {column} va dal {first} al {last}.",
    vague_time_unknown="Quale periodo intende con «{mention}», secondo {column}?",
    two_dates="«{mention}»: secondo quale data? {ranges}.",
    several_values="«{mention}» corrisponde a {count} valori di {column}. Quale?",
    many_values="«{mention}» corrisponde a più di {count} valori di {column}. Quale, per esempio?",
    several_columns="«{mention}» compare in più posti. Quale?",
    vague_measure="«{mention}»: secondo quale misura?",
    vague_limit="«{mention}»: da quale limite?",
    missing_context="Sembra la continuazione di un messaggio precedente, ma non ce n’è nessuno. Di che cosa si tratta?",
    above_average="{name} sopra la media",
    below_average="{name} sotto la media",
    missing="Questa base di dati non contiene nulla su «{mention}». Riguarda {tables}.",
    nothing_near="Nulla in questa base di dati sembra riguardare «{mention}».",
    lacking="Nessuna tabella o colonna somiglia a «{mention}».",
    read_as="Nessuna tabella o colonna si chiama «{mention}»; la più vicina è {near}.",
    instead="In alternativa può chiedere:",
    assumed="«{mention}» è stato inteso come {meant}.",
    failed="Non ho potuto rispondere con questi dati.",
    went_wrong="Che cosa non ha funzionato:",
    last_days="gli ultimi {n} giorni",
    last_months="gli ultimi {n} mesi",
    period="dal {first} al {last}",
    days="{column} dal {first} al {last}",
    by_date="secondo {name}",
    all_of="tutti insieme",
    all_named="tutti i {rows} il cui {name} contiene {mention}",
    by="secondo {name}",
    total="totale {name}",
    number_of="numero di {name}",
)
ZH = Frames(
    language="zh",
    vague_time="“{mention}”指的是哪段时间？{column} 的范围是 {first} 至 {last}。",
    vague_time_unknown="“{mention}”按 {column} 指的是哪段时间？",
    two_dates="“{mention}”：按哪个日期？{ranges}。",
    several_values="“{mention}”与 {column} 的 {count} 个值相符。是哪一个？",
    many_values="“{mention}”与 {column} 的超过 {count} 个值相符。例如是哪一个？",
    several_columns="“{mention}”出现在多处。是哪一处？",
    vague_measure="“{mention}”：按什么衡量？",
    vague_limit="“{mention}”：以什么为界？",
    missing_context="这似乎承接之前的消息，但之前没有消息。您问的是什么？",
    above_average="{name} 高于平均值",
    below_average="{name} 低于平均值",
    missing="这个数据库中没有关于“{mention}”的数据。它包含：{tables}。",
    nothing_near="这个数据库中似乎没有与“{mention}”有关的内容。",
    lacking="没有与“{mention}”相似的表或列。",
    read_as="没有名为“{mention}”的表或列；最接近的是 {near}。",
    instead="可以改问：",
    assumed="“{mention}”理解为{meant}。",
    failed="无法根据这些数据回答。",
    went_wrong="出现的问题：",
    last_days="最近 {n} 天",
    last_months="最近 {n} 个月",
    period="{first} 至 {last}",
    days="{column}：{first} 至 {last}",
    by_date="按 {name}",
    all_of="全部",
    all_named="{name} 包含 {mention} 的所有 {rows}",
    by="按 {name}",
    total="{name} 合计",
    number_of="{name} 数量",
)

# Without words that are as frequent in another of these languages: "revenue per customer" is not Italian.
_STOP_WORDS = {
    "en": "the of what which how many is are was were in for by from show list do did does we our with have has who"
    " and me all each there",
    "de": "der die das den dem des wie viele viel welche welcher welches was ist sind war waren im in für von unsere"
    " unser zeige hat haben wir und mit nach zuletzt pro alle wer gab gibt es kürzlich neulich neuerdings je ein eine für bei letzten letzter",
    "fr": "le la les des du de quel quelle quels quelles est sont combien nos notre dans pour par avec et montre ont"
    " avons nous récemment qui liste récentes récents dernièrement y en il",
    "es": "el la los las del de qué cuál cuáles cuántos cuántas cuánto es son fue nuestros nuestras en para por con y"
    " muestra hemos hay recientemente quién quiénes recientes últimamente",
    "it": "il lo la gli le di del della dei delle quale quali quanti quante quanto sono è era erano in nel nella con e"
    " che ci mostra mostrami abbiamo nostri nostre recentemente chi tutti tutte dal al negli ultimi recenti ultimamente",
}
# Words of short questions, such as "average cost per treatment", that none of the other languages has.
_SHORT = (
    "average number every highest lowest longest shortest never without than more most least whose where when still been"
    " by percentage share and"
)
_ENGLISH_ALONE = frozenset(_SHORT.split())
_BY_WORD = {name: frozenset(listed.split()) for name, listed in _STOP_WORDS.items()}
_SAYING_NOTHING = {code: language.naming_nothing for code, language in LANGUAGES.items()}
_LETTERS = {"de": "ß", "fr": "œ", "es": "ñ¿¡"}  # no other language has them
_FRAMES: dict[str, Frames] = {it.language: it for it in (EN, DE, FR, ES, IT, KO, ZH)}


def frames_of(question: str) -> Frames:
    """The frames of a question's language, detected by its script and function words. English if it is unknown."""
    if re.search(r"[\uac00-\ud7a3]", question):
        return KO
    if re.search(r"[\u4e00-\u9fff]", question) and not re.search(r"[\u3040-\u30ff]", question):
        return ZH
    found = re.findall(r"[^\W\d_]+", question.lower())
    counts = {name: sum(word in listed for word in found) for name, listed in _BY_WORD.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if counts[best] > 1 and list(counts.values()).count(counts[best]) == 1:
        return _FRAMES[best]
    return _FRAMES[_by_any_words(question, found, counts)]


def _by_any_words(question: str, found: Sequence[str], counts: Mapping[str, int]) -> str:
    """The language with the most function words and special letters. English if two are equally likely."""
    scores: dict[str, int] = {}
    for language, listed in _SAYING_NOTHING.items():
        letters = len(set(_LETTERS.get(language, "")) & set(question.lower()))
        scores[language] = counts[language] + sum(word in listed for word in found) + letters
    best = max(scores.values())
    likely = [language for language, score in scores.items() if score == best]
    return likely[0] if len(likely) == 1 and best else "en"


def is_english(question: str) -> bool:
    """Whether a question is certainly English. A question of few words may be in any language."""
    found = set(re.findall(r"[^\W\d_]+", question.lower()))
    return question.isascii() and frames_of(question) is EN and not found.isdisjoint(_BY_WORD["en"] | _ENGLISH_ALONE)


def write_list(text: str, labels: list[str]) -> str:
    """A sentence with the choices below it, one per line."""
    return "\n".join([text, *(f"- {label}" for label in labels)])
