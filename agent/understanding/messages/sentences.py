# ruff: noqa: E501  sentences and patterns are read best in one piece
"""The sentences of replies that need no query, in six languages. Other languages get English."""

from __future__ import annotations

import re

from executors.base import Frozen

_BY_COUNT = re.compile(r"\[(\w+)\|(\w+)\]")  # [row|rows]


def write_count(phrase: str, count: int, **names: str) -> str:
    """Fill a phrase that counts: `{count} [row|rows]` as "1 row" or "1,200 rows"."""
    return _BY_COUNT.sub(r"\1" if count == 1 else r"\2", phrase).format(count=f"{count:,}", **names)


class Sentences(Frozen):
    """Sentences with named placeholders. Names of tables and columns, and texts of docs, are inserted unchanged.

    `write_count` fills those with `{count}`.
    """

    language: str
    greeting: str
    wellbeing: str
    thanks: str
    farewell: str
    agreement: str
    who: str
    help: str
    chatter: str
    examples: str
    tables: str
    no_tables: str
    more: str
    rows: str
    columns: str
    primary_key: str
    no_primary_key: str
    refers: str
    no_references: str
    is_a: str
    values: str
    and_more: str
    undocumented: str
    unknown: str
    where: str
    goes: str
    no_dates: str
    source: str
    from_schema: str
    from_data: str
    from_comment: str


EN = Sentences(
    language="en",
    greeting="Hello! I answer questions about the data of {database}.",
    wellbeing="All is well, thank you. I answer questions about the data of {database}.",
    thanks="You are welcome. Ask on whenever you like.",
    farewell="Goodbye!",
    agreement="Good. Ask whenever you like.",
    who="I am Plumbline, a program: I turn questions about the data of {database} into queries, run them, check the "
    "results and show all of it.",
    help="Ask about the data of {database} in plain language: numbers, lists, comparisons. You can also ask which tables "
    "and columns there are, what a name means, how tables are linked, or how fresh the data is.",
    chatter="That is not a question about data. I answer questions about the data of {database}.",
    examples="For example:",
    tables="{database} has {count} [table|tables]: {tables}.",
    no_tables="{database} has no tables that you can ask about.",
    more="and {count} more",
    rows="{count} [row|rows]",
    columns="{table} has {count} [column|columns]: {columns}.",
    primary_key="The primary key of {table} is {columns}.",
    no_primary_key="{table} has no declared primary key.",
    refers="{from_columns} refers to {to_columns}.",
    no_references="No keys between tables are known here.",
    is_a="{column} is a column of the type {type}.",
    values="Stored values include {values}.",
    and_more="and more",
    undocumented="No comment and no document says more about {name}.",
    unknown="Neither the schema nor the documents of {database} know “{name}”.",
    where="{name} is in {columns}.",
    goes="{column} goes from {first} to {last}.",
    no_dates="No column holds dates by which that could be told.",
    source="Source: {sources}.",
    from_schema="the schema of {database}",
    from_data="the data of {database}, read now",
    from_comment="a comment in the database",
)
DE = Sentences(
    language="de",
    greeting="Hallo! Ich beantworte Fragen zu den Daten von {database}.",
    wellbeing="Danke, alles in Ordnung. Ich beantworte Fragen zu den Daten von {database}.",
    thanks="Gern geschehen. Fragen Sie jederzeit weiter.",
    farewell="Auf Wiedersehen!",
    agreement="Gut. Fragen Sie jederzeit weiter.",
    who="Ich bin Plumbline, ein Programm: Ich mache aus Fragen zu den Daten von {database} Abfragen, führe sie aus, prüfe "
    "die Ergebnisse und zeige alles davon.",
    help="Fragen Sie in normaler Sprache nach den Daten von {database}: Zahlen, Listen, Vergleiche. Sie können auch fragen, "
    "welche Tabellen und Spalten es gibt, was ein Name bedeutet, wie Tabellen zusammenhängen oder wie aktuell die Daten sind.",
    chatter="Das ist keine Frage zu Daten. Ich beantworte Fragen zu den Daten von {database}.",
    examples="Zum Beispiel:",
    tables="{database} hat {count} [Tabelle|Tabellen]: {tables}.",
    no_tables="{database} hat keine Tabellen, nach denen Sie fragen können.",
    more="und {count} weitere",
    rows="{count} [Zeile|Zeilen]",
    columns="{table} hat {count} [Spalte|Spalten]: {columns}.",
    primary_key="Der Primärschlüssel von {table} ist {columns}.",
    no_primary_key="{table} hat keinen deklarierten Primärschlüssel.",
    refers="{from_columns} verweist auf {to_columns}.",
    no_references="Schlüssel zwischen Tabellen sind hier nicht bekannt.",
    is_a="{column} ist eine Spalte vom Typ {type}.",
    values="Gespeicherte Werte sind zum Beispiel {values}.",
    and_more="und weitere",
    undocumented="Kein Kommentar und kein Dokument sagt mehr über {name}.",
    unknown="Weder das Schema noch die Dokumente von {database} kennen „{name}“.",
    where="{name} steht in {columns}.",
    goes="{column} reicht von {first} bis {last}.",
    no_dates="Keine Spalte enthält Daten, an denen sich das ablesen lässt.",
    source="Quelle: {sources}.",
    from_schema="das Schema von {database}",
    from_data="die Daten von {database}, soeben gelesen",
    from_comment="ein Kommentar in der Datenbank",
)
FR = Sentences(
    language="fr",
    greeting="Bonjour ! Je réponds aux questions sur les données de {database}.",
    wellbeing="Tout va bien, merci. Je réponds aux questions sur les données de {database}.",
    thanks="Je vous en prie. Posez d’autres questions quand vous voulez.",
    farewell="Au revoir !",
    agreement="Bien. Posez d’autres questions quand vous voulez.",
    who="Je suis Plumbline, un programme : je transforme les questions sur les données de {database} en requêtes, je les "
    "exécute, je vérifie les résultats et je montre tout.",
    help="Posez vos questions sur les données de {database} en langage courant : chiffres, listes, comparaisons. Vous pouvez "
    "aussi demander quelles tables et colonnes existent, ce que signifie un nom, comment les tables sont liées ou si les "
    "données sont à jour.",
    chatter="Ce n’est pas une question sur des données. Je réponds aux questions sur les données de {database}.",
    examples="Par exemple :",
    tables="{database} a {count} [table|tables] : {tables}.",
    no_tables="{database} n’a aucune table que vous puissiez interroger.",
    more="et {count} [autre|autres]",
    rows="{count} [ligne|lignes]",
    columns="{table} a {count} [colonne|colonnes] : {columns}.",
    primary_key="La clé primaire de {table} est {columns}.",
    no_primary_key="{table} n’a pas de clé primaire déclarée.",
    refers="{from_columns} renvoie à {to_columns}.",
    no_references="Aucune clé entre tables n’est connue ici.",
    is_a="{column} est une colonne de type {type}.",
    values="Parmi les valeurs enregistrées : {values}.",
    and_more="et d’autres",
    undocumented="Aucun commentaire ni document n’en dit plus sur {name}.",
    unknown="Ni le schéma ni les documents de {database} ne connaissent « {name} ».",
    where="{name} se trouve dans {columns}.",
    goes="{column} va du {first} au {last}.",
    no_dates="Aucune colonne ne contient de dates qui permettraient de le dire.",
    source="Source : {sources}.",
    from_schema="le schéma de {database}",
    from_data="les données de {database}, lues à l’instant",
    from_comment="un commentaire dans la base",
)
ES = Sentences(
    language="es",
    greeting="¡Hola! Respondo preguntas sobre los datos de {database}.",
    wellbeing="Todo bien, gracias. Respondo preguntas sobre los datos de {database}.",
    thanks="De nada. Pregunte cuando quiera.",
    farewell="¡Hasta luego!",
    agreement="Bien. Pregunte cuando quiera.",
    who="Soy Plumbline, un programa: convierto preguntas sobre los datos de {database} en consultas, las ejecuto, compruebo "
    "los resultados y lo muestro todo.",
    help="Pregunte por los datos de {database} en lenguaje corriente: números, listas, comparaciones. También puede preguntar "
    "qué tablas y columnas hay, qué significa un nombre, cómo se relacionan las tablas o qué tan actuales son los datos.",
    chatter="Eso no es una pregunta sobre datos. Respondo preguntas sobre los datos de {database}.",
    examples="Por ejemplo:",
    tables="{database} tiene {count} [tabla|tablas]: {tables}.",
    no_tables="{database} no tiene tablas por las que pueda preguntar.",
    more="y {count} más",
    rows="{count} [fila|filas]",
    columns="{table} tiene {count} [columna|columnas]: {columns}.",
    primary_key="La clave primaria de {table} es {columns}.",
    no_primary_key="{table} no tiene una clave primaria declarada.",
    refers="{from_columns} remite a {to_columns}.",
    no_references="No se conocen claves entre tablas.",
    is_a="{column} es una columna de tipo {type}.",
    values="Entre los valores guardados están {values}.",
    and_more="y más",
    undocumented="Ningún comentario ni documento dice más sobre {name}.",
    unknown="Ni el esquema ni los documentos de {database} conocen «{name}».",
    where="{name} está en {columns}.",
    goes="{column} va del {first} al {last}.",
    no_dates="Ninguna columna contiene fechas que permitan saberlo.",
    source="Fuente: {sources}.",
    from_schema="el esquema de {database}",
    from_data="los datos de {database}, leídos ahora",
    from_comment="un comentario en la base de datos",
)
IT = Sentences(
    language="it",
    greeting="Ciao! Rispondo a domande sui dati di {database}.",
    wellbeing="Tutto bene, grazie. Rispondo a domande sui dati di {database}.",
    thanks="Prego. Chieda pure quando vuole.",
    farewell="Arrivederci!",
    agreement="Bene. Chieda pure quando vuole.",
    who="Sono Plumbline, un programma: trasformo le domande sui dati di {database} in interrogazioni, le eseguo, controllo i "
    "risultati e mostro tutto.",
    help="Chieda dei dati di {database} in linguaggio comune: numeri, elenchi, confronti. Può anche chiedere quali tabelle e "
    "colonne ci sono, che cosa significa un nome, come sono collegate le tabelle o quanto sono aggiornati i dati.",
    chatter="Non è una domanda sui dati. Rispondo a domande sui dati di {database}.",
    examples="Per esempio:",
    tables="{database} ha {count} [tabella|tabelle]: {tables}.",
    no_tables="{database} non ha tabelle di cui si possa chiedere.",
    more="e altre {count}",
    rows="{count} [riga|righe]",
    columns="{table} ha {count} [colonna|colonne]: {columns}.",
    primary_key="La chiave primaria di {table} è {columns}.",
    no_primary_key="{table} non ha una chiave primaria dichiarata.",
    refers="{from_columns} rimanda a {to_columns}.",
    no_references="Non sono note chiavi tra le tabelle.",
    is_a="{column} è una colonna di tipo {type}.",
    values="Tra i valori memorizzati ci sono {values}.",
    and_more="e altri",
    undocumented="Nessun commento e nessun documento dice di più su {name}.",
    unknown="Né lo schema né i documenti di {database} conoscono «{name}».",
    where="{name} si trova in {columns}.",
    goes="{column} va dal {first} al {last}.",
    no_dates="Nessuna colonna contiene date da cui si possa dire.",
    source="Fonte: {sources}.",
    from_schema="lo schema di {database}",
    from_data="i dati di {database}, letti ora",
    from_comment="un commento nella base di dati",
)
KO = Sentences(
    language="ko",
    greeting="안녕하세요! {database}의 데이터에 관한 질문에 답합니다.",
    wellbeing="잘 지내고 있습니다. {database}의 데이터에 관한 질문에 답합니다.",
    thanks="천만에요. 언제든지 더 물어보세요.",
    farewell="안녕히 가세요!",
    agreement="좋습니다. 언제든지 더 물어보세요.",
    who="저는 Plumbline이라는 프로그램입니다. {database}의 데이터에 관한 질문을 쿼리로 바꾸어 실행하고, 결과를 확인하여 모두 보여 드립니다.",
    help="{database}의 데이터에 대해 일상 언어로 물어보세요: 숫자, 목록, 비교. 어떤 테이블과 컬럼이 있는지, 이름이 무슨 뜻인지, 테이블이 어떻게 "
    "연결되는지, 데이터가 얼마나 최신인지도 물어볼 수 있습니다.",
    chatter="데이터에 관한 질문이 아닙니다. {database}의 데이터에 관한 질문에 답합니다.",
    examples="예:",
    tables="{database}에는 테이블이 {count}개 있습니다: {tables}.",
    no_tables="{database}에는 물어볼 수 있는 테이블이 없습니다.",
    more="그 밖에 {count}개",
    rows="{count}행",
    columns="{table}에는 컬럼이 {count}개 있습니다: {columns}.",
    primary_key="{table}의 기본 키: {columns}.",
    no_primary_key="{table}에는 선언된 기본 키가 없습니다.",
    refers="{from_columns} → {to_columns} 참조.",
    no_references="테이블 사이의 키는 알려져 있지 않습니다.",
    is_a="{column}: {type} 형식의 컬럼입니다.",
    values="저장된 값의 예: {values}.",
    and_more="그 밖에 더",
    undocumented="{name}에 대해 더 설명하는 주석이나 문서가 없습니다.",
    unknown="{database}의 스키마와 문서에 “{name}”에 관한 내용이 없습니다.",
    where="{name} 위치: {columns}.",
    goes="{column}의 범위는 {first}부터 {last}까지입니다.",
    no_dates="이를 알 수 있는 날짜 컬럼이 없습니다.",
    source="출처: {sources}.",
    from_schema="{database}의 스키마",
    from_data="방금 읽은 {database}의 데이터",
    from_comment="데이터베이스의 주석",
)

_BY_LANGUAGE = {it.language: it for it in (EN, DE, FR, ES, IT, KO)}


def sentences_of(language: str) -> Sentences:
    """The sentences of a language by its code."""
    return _BY_LANGUAGE.get(language, EN)
