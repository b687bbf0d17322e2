"""Examples of small talk, of questions about the data and of questions for SQL, in six languages.

The multilingual model compares a message with all of them (`by_meaning`). Examples in one language would nearly
suffice, because translations are similar.
"""

from __future__ import annotations

from agent.understanding.messages.kinds import Talk, Topic


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
_TOPIC_TEXTS = {
    Topic.TABLES: """
        what tables are there?
        which tables do you have?
        list all tables in this database
        what tables have you got?
        show me the table names
        name every table here
        welche Tabellen gibt es?
        zeig mir alle Tabellen
        quelles sont les tables ?
        ¿qué tablas tienes?
        quali tabelle ci sono?
        어떤 테이블이 있나요?
    """,
    Topic.OVERVIEW: """
        what data do you have?
        what is in this database?
        what is this database about?
        what kind of information is stored here?
        give me an overview of the data
        what can I find in here?
        what does this dataset cover?
        tell me about the data
        which topics does the data cover?
        welche Daten hast du überhaupt?
        worum geht es in dieser Datenbank?
        gib mir einen Überblick über die Daten
        quelles données avez-vous ?
        de quoi parle cette base de données ?
        ¿qué datos hay aquí?
        ¿de qué trata esta base de datos?
        che dati ci sono qui?
        di che cosa parla questo database?
        어떤 데이터가 있나요?
    """,
    Topic.COLUMNS: """
        what columns does the table have?
        which fields are in this table?
        list the columns of the table
        what attributes are stored for each record?
        what do you know about each one?
        show me the column names of the table
        which columns are there in total?
        welche Spalten hat die Tabelle?
        welche Felder gibt es in dieser Tabelle?
        quelles colonnes contient la table ?
        ¿qué columnas tiene la tabla?
        quali campi ha la tabella?
        테이블의 컬럼을 알려줘
    """,
    Topic.DESCRIBE: """
        describe the table
        explain this table to me
        what is in this table?
        what does the table contain?
        tell me about the table
        what is stored in the table?
        what is the table for?
        beschreibe die Tabelle
        was steht in dieser Tabelle?
        décris la table
        describe la tabla
        descrivi la tabella
        테이블을 설명해줘
    """,
    Topic.KEYS: """
        how are the tables related?
        how are these two tables connected?
        which column links the tables?
        how do I join these tables?
        what is the primary key of the table?
        which foreign keys are there?
        what identifies a row in the table?
        which tables refer to this one?
        show me the relationships between the tables
        wie hängen die Tabellen zusammen?
        was ist der Primärschlüssel der Tabelle?
        über welche Spalte sind die Tabellen verbunden?
        comment les tables sont-elles liées ?
        ¿cómo se relacionan las tablas?
        come sono collegate le tabelle?
        두 테이블은 어떻게 연결되어 있나요?
    """,
    Topic.MEANING: """
        what does this column mean?
        what does the field stand for?
        what is meant by this code?
        explain the column
        what is the difference between these two columns?
        what is the difference between this column and this column?
        what is the meaning of this abbreviation?
        what unit is this column in?
        what do the values of this column mean?
        was bedeutet diese Spalte?
        wofür steht dieses Feld?
        was ist der Unterschied zwischen den beiden Spalten?
        que signifie cette colonne ?
        à quoi correspond ce champ ?
        ¿qué significa esta columna?
        che cosa significa questa colonna?
        이 컬럼은 무슨 뜻인가요?
    """,
    Topic.VALUES: """
        what values can this column have?
        which values are possible in this field?
        what are the possible statuses of the column?
        which codes are used in this column?
        which options does the field take?
        welche Werte kann diese Spalte haben?
        quelles valeurs peut prendre cette colonne ?
        ¿qué valores puede tener esta columna?
        quali valori può avere questa colonna?
        이 컬럼에는 어떤 값이 있나요?
    """,
    Topic.DEFINED: """
        how is this measure defined?
        how do you calculate this figure?
        what is the definition of the term?
        how is this term computed here?
        wie ist diese Kennzahl definiert?
        comment ce terme est-il défini ?
        ¿cómo se define este término?
        come è definita questa metrica?
        이 지표는 어떻게 정의되나요?
    """,
    Topic.WHERE: """
        where is this stored?
        which table has this information?
        in which column do I find it?
        do you have any data about this?
        is there anything in here about that?
        does the database contain information on this?
        where can I find it in the database?
        is that recorded anywhere?
        wo steht das in der Datenbank?
        in welcher Tabelle finde ich das?
        gibt es hier Daten darüber?
        où se trouve cette information ?
        y a-t-il des données là-dessus ?
        ¿dónde está guardado esto?
        ¿hay datos sobre esto?
        dove si trova questo dato?
        이 정보는 어디에 있나요?
    """,
    Topic.SIZES: """
        how many rows does the table have?
        how big is the database?
        how large is this dataset?
        how many tables and rows are there?
        how many records are stored in total?
        how many entries are in the whole database?
        wie groß ist die Datenbank?
        wie viele Zeilen hat die Tabelle?
        combien de lignes contient la table ?
        quelle est la taille de la base ?
        ¿cuántas filas tiene la tabla?
        quante righe ci sono in totale?
        데이터가 몇 건이나 있나요?
    """,
    Topic.FRESHNESS: """
        how fresh is the data?
        how far back does the data go?
        how up to date is this?
        when was the data last updated?
        what period does the data cover?
        from when to when do you have data?
        until which date does the data go?
        what is the most recent date in the database?
        wie aktuell sind die Daten?
        bis wann reichen die Daten?
        von wann bis wann gibt es Daten?
        jusqu'à quand vont les données ?
        de quelle période datent les données ?
        ¿de qué fecha a qué fecha hay datos?
        ¿cuándo se actualizaron los datos?
        fino a quando arrivano i dati?
        데이터는 언제까지 있나요?
    """,
}
TOPICS = {topic: _lines(text) for topic, text in _TOPIC_TEXTS.items()}
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
    what are the dates and places of the concerts?
    what is the highest value in the database?
    list all information about the items
    what is the description of the status "open"?
    how many different dates are there in our records?
    which field yields the most?
    what is the size of the largest room?
    what are the details of the accounts with the code 7?
    which values are above the average?
    when does the table tennis final begin?
    what is the number and date of each document?
    show this column of the cancelled ones
    what is the average of this column per year?
    which this column has the most rows?
    where is this column missing?
    remove the table of customers
    drop this table
    create a new table
    rename the column of prices
    add a column to the table
    lösche die Tabelle
    compare the sales of both and say what drives the difference
    what is the difference between the sales of Berlin and Paris?
    what explains the difference in price between the two countries?
    wie viele Bestellungen gab es im Mai?
    Umsatz je Kategorie
    wer hat am meisten gekauft?
    combien de clients y a-t-il ?
    chiffre d'affaires par pays
    qui a acheté le plus ?
    ¿cuántos pedidos hay?
    ¿qué producto es el más caro?
    ¿quién vendió más?
    quanti ordini ci sono?
    qual è il prezzo medio?
    chi ha speso di più?
    주문은 몇 건인가요?
    월별 매출을 보여줘
    누가 가장 많이 샀나요?
""")  # fmt: skip
