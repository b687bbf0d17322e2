"""Words that mark a follow-up, one row per language.

The rows hold function words only. Every other word names something and counts as content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


@dataclass(frozen=True)
class Language:
    """One language that puts spaces between its words. All words are case-folded.

    asks: question words, and verbs that ask for data.
    which: those that need a noun after them and ask nothing with it alone.
    many: those, or words with them, that need something to count after them.
    verbs: forms of be, have and do, which make a message a sentence.
    changes: verbs that change the last result (sort, filter), at the beginning of a message.
    joins: words that link a sentence to the one before it.
    only: words that narrow the last result.
    divides: prepositions that group what precedes them.
    prepositions: those that never begin a self-contained message, unless it asks further on.
    pronouns: those that refer to something named before, here or earlier.
    owners: possessives that do the same.
    pointers: demonstratives that need a noun after them and refer to an earlier message.
    generic: nouns and adjectives that name nothing of the data: ranks, amounts, time spans, numerals.
    function: other words that name nothing.
    always: a pattern for signs that suffice by themselves.
    """

    code: str
    asks: frozenset[str]
    which: frozenset[str]
    verbs: frozenset[str]
    changes: frozenset[str]
    joins: frozenset[str]
    only: frozenset[str]
    divides: frozenset[str]
    prepositions: frozenset[str]
    pronouns: frozenset[str]
    owners: frozenset[str]
    pointers: frozenset[str]
    generic: frozenset[str]
    function: frozenset[str]
    always: re.Pattern[str]
    many: frozenset[str] = frozenset()

    def hits(self, words: list[str]) -> int:
        """The number of words that belong to this language."""
        return sum(word in self.naming_nothing or word in self.changes for word in words)

    @property
    def naming_nothing(self) -> frozenset[str]:
        """All words that are not content."""
        named = (self.asks, self.verbs, self.joins, self.only, self.prepositions, self.pronouns, self.owners)
        return frozenset().union(*named, self.pointers, self.generic, self.function)


def language(code: str, *, always: str, **listed: str) -> Language:
    """A row from its words, listed in strings, and its pattern."""
    words = {name: words_of(text) for name, text in listed.items()}
    return Language(code=code, always=re.compile(always, re.IGNORECASE), **words)


ENGLISH = language(
    "en",
    asks="""
        what which who whom whose when where why how show list give find tell display plot get compute count calculate
        return name fetch determine identify provide compare rank whats
    """,
    which="which whose",
    many="many",
    verbs="is are was were be been am do does did has have had can could will would should may",
    changes="""
        sort order group break filter exclude include limit restrict narrow round split reverse add remove drop drill
        convert compare explain leave omit skip rank sorted grouped ordered filtered broken compared
    """,
    joins="and but or also then instead plus additionally",
    only="only just",
    divides="by per",
    prepositions="""
        in for by per from with without since between before after until till to as of on at during within except
        excluding including over under above below across versus vs descending ascending
    """,
    pronouns="""
        it they them those these that this one ones he she him her both neither latter former others itself themselves
    """,
    owners="its their his theirs",
    pointers="those these that this",
    generic="""
        top bottom first last next previous highest lowest biggest smallest largest best worst latest newest
        oldest earliest longest shortest most least more less fewer many much few few all each every any some
        other same second third fourth fifth two three four five six seven eight nine ten twenty hundred total
        sum average mean median percent percentage percentages share shares averages totals ratio difference
        change growth trend reason details detail number year years month months week weeks day days quarter
        quarters low high lower higher good bad cheapest result results answer half zero alphabetically
        descending ascending name names chart table graph details list
    """,
    function="""
        the a an i you we us our me my your there here not no yes ok okay please thanks great well hmm now so too
        again if than such so up down out about into off s t re ve ll d like want need see know let lets did m while
        because really exactly respectively either
    """,
    always=r"^\W*(?:(?:and|but|so|ok(?:ay)?|now|then)[\s,]+)*(?:what|how)\s+about\b"
        r"|^\W*(?:and\s+)?(?:the\s+)?same\b|\b(?:do|show|give|list)(?:\s+me)?\s+the\s+same\b(?!.*\bas\b)"
        r"|\bthe\s+same\s+(?:for|with|but|thing|by|query|question|again)\b|\blikewise\b|\bditto\b|\bas\s+well\W*$"
        r"|\binstead\W*$|\btoo\W*$|\bwhy\b.*\bso\s+(?!far\b)\w+|\bthe\s+(?:others?|rest|remaining|latter|former|above)"
        r"\W*(?:$|\?)|\b(?:of|among|from|for|in|by|with|to)\s+(?:them|those|these|it|that|this)\W*(?:$|[?,.]|\b(?:are|is"
        r"|have|has|were|was|did|do)\b)|\bthe\s+(?:previous|last|above|earlier)\s+(?:one|question|query|result|answer)"
        r"|^\W*(?:no|not|sorry)\s*,|^\W*i\s+meant?\b|\b(?:in|during|for|from|since|by|at|of)\s+that\s+(?!is\b|are\b|was\b"
        r"|were\b|has\b|have\b|had\b)\w+|\b(?:live|lives|work|works|sold|ordered|bought|located|happened)\s+there\b"
        r"|^\W*(?:go\s+on|continue|more|again|why|when|who|really|explain(?:\s+(?:that|it|this))?)\W*$",
)  # fmt: skip

GERMAN = language(
    "de",
    asks="""
        was welche welcher welches welchen welchem wer wem wen wessen wann wo warum wieso weshalb wie wieviel wieviele
        zeige zeig liste gib nenne finde berechne zähle sag vergleiche ermittle
    """,
    which="welche welcher welches welchen welchem",
    many="viele wieviele",
    verbs="""
        ist sind war waren sei hat haben hatte hatten wird werden wurde wurden gibt gab kann können soll tun macht
        machen
    """,
    changes="""
        sortiere sortier ordne gruppiere filtere filter runde teile begrenze beschränke füge entferne zeige erkläre
        lass vergleiche
    """,
    joins="und aber oder auch dann stattdessen sondern außerdem",
    only="nur bloß lediglich",
    divides="nach pro je",
    prepositions="""
        in im für nach pro je aus von vom mit ohne seit zwischen vor bis zu zum zur als bei an am auf während
        innerhalb außer unter über ab gegenüber absteigend aufsteigend
    """,
    pronouns="""
        sie ihnen er ihm ihn diese dieser dieses diesen diesem denen deren dessen davon dabei dafür daran darunter
        beide jene jenen dasselbe dieselben das
    """,
    owners="ihre ihrer ihren ihrem seine seiner seinen seinem",
    pointers="diese dieser dieses diesen diesem jene jener jenes jenen jenem",
    generic="""
        top erste ersten erster letzte letzten nächste nächsten höchste höchsten höchster niedrigste niedrigsten
        größte größten neueste neuesten älteste ältesten längste längsten kürzeste kürzesten kleinste kleinsten
        beste besten bester schlechteste schlechtesten meisten meiste wenigsten mehr weniger viele viel wenig
        alle jede jeder jedes jeden andere anderen gleiche gleichen zwei drei vier fünf sechs sieben acht neun
        zehn zwanzig hundert gesamt summe durchschnitt mittelwert prozent anteil differenz unterschied
        entwicklung grund details anzahl zahl jahr jahre jahren monat monate monaten woche wochen tag tage tagen
        quartal quartale hoch niedrig tief schlecht gut ergebnis wert werte name namen reihenfolge insgesamt
    """,
    function="""
        der die das den dem des ein eine einer einen einem eines ich du wir uns unser unsere unserer mir mich man
        nicht kein keine ja nein ok bitte danke nun jetzt so denn da dort doch mal noch schon sehr wenn dass ob es
        sich einmal gerne möchte will eigentlich jeweils
    """,
    always=r"^\W*(?:und\s+)?(?:was|wie)\s+(?:ist\s+(?:mit|es\s+mit)|sieht\s+es\s+(?:mit|bei|in|im)?)\b"
        r"|^\W*(?:und\s+)?(?:das|die|der)?\s*(?:gleiche|selbe|dasselbe)\b|\bwarum\b.*\bso\s+\w+|\bwieso\b.*\bso\s+\w+"
        r"|\b(?:davon|darunter|stattdessen)\b|\b(?:auch|ebenfalls)\W*$|\bgenauso\b|^\W*(?:warum|wieso|wann|wer|mehr|"
        r"weiter)\W*$|^\W*(?:nein|nicht)\s*,|^\W*ich\s+mein(?:e|te)\b|\b(?:von|für|mit|unter)\s+(?:ihnen|diesen|denen)\b"
        r"|\bdie\s+(?:anderen|übrigen|restlichen)\W*$",
)  # fmt: skip

FRENCH = language(
    "fr",
    asks="""
        que quel quelle quels quelles qui quand où pourquoi comment combien quoi montre montrez affiche affichez liste
        listez donne donnez trouve trouvez calcule calculez compte comptez compare comparez
    """,
    which="quel quelle quels quelles",
    verbs="est sont était étaient être a ont avait avaient fait font faut peut peuvent y",
    changes="""
        trie triez classe classez groupe groupez filtre filtrez limite limitez ajoute ajoutez enlève exclus arrondis
        retire explique trié triés classé classés
    """,
    joins="et mais ou aussi alors puis plutôt",
    only="seulement uniquement juste",
    divides="par",
    prepositions="""
        en dans pour par de du des depuis entre avant après jusqu à au aux avec sans sur chez pendant sauf selon comme
        vers
    """,
    pronouns="il elle ils elles ceux celles celui celle cela ça ceci lui leur eux ci dernier",
    owners="leurs son sa ses",
    pointers="ce cette ces cet",
    generic="""
        top premier premiers première premières dernier derniers dernière dernières prochain plus moins haut
        haute hauts bas basse élevé élevés élevée faible faibles meilleur meilleurs meilleure pire grand grands
        petit petits tous toutes tout toute chaque autre autres même mêmes deux trois quatre cinq six sept huit
        neuf dix vingt cent total somme moyenne médiane pourcentage part différence évolution raison détails
        nombre année années an ans mois semaine semaines jour jours trimestre résultat valeur nom noms ordre
        beaucoup récent récents récente récentes ancien anciens ancienne
    """,
    function="""
        le la les l d un une des je tu nous vous on me moi notre nos votre ne pas non oui ok merci s c qu n j t m si là
        ici maintenant bien très donc car est ce dont se
    """,
    always=r"^\W*(?:et\s+)?qu['’]en\s+est[- ]il\b|^\W*(?:et\s+)?(?:la|le|les)?\s*mêmes?\b|\bla\s+même\s+chose\b"
        r"|\bpourquoi\b.*\bsi\s+\w+|^\W*(?:et\s+)?(?:pourquoi|quand|qui|encore|plus)\W*$|\b(?:parmi|d['’]entre)\s+(?:eux|"
        r"elles|ceux|celles)\b|\baussi\W*$|\bà\s+la\s+place\W*$|^\W*(?:trie|classe|montre|liste|affiche|donne)z?-l(?:es?|a)\b"
        r"|\bles\s+autres\W*$|^\W*non\s*,|\b\w+-t-(?:il|elle|ils|elles)\b(?=\W*$)",
)  # fmt: skip

SPANISH = language(
    "es",
    asks="""
        qué que cuál cuáles cual quién quiénes cuándo cuando dónde donde cómo cuánto cuántos cuánta cuántas muestra
        muestre muéstrame lista enumera dame encuentra calcula cuenta compara
    """,
    which="qué cuáles",
    many="cuántos cuántas",
    verbs="es son era eran fue fueron ser está están ha han hay había tiene tienen hace puede",
    changes="ordena ordene agrupa filtra limita añade agrega quita excluye incluye redondea explica",
    joins="y e pero o también entonces además",
    only="solo sólo solamente únicamente",
    divides="por",
    prepositions="""
        en para por de del desde entre antes después hasta a al con sin sobre durante según como salvo
    """,
    pronouns="ellos ellas ello éstos éstas esos esas ése ésa eso esto aquellos aquellas le les lo",
    owners="su sus",
    pointers="ese esa esos esas este esta estos estas aquel aquella",
    generic="""
        top primero primeros primera primeras último últimos última últimas próximo más menos alto alta altos altas bajo
        baja bajos mejor mejores peor mayor mayores menor menores todos todas todo toda cada otro otros otra otras mismo
        misma dos tres cuatro cinco seis siete ocho nueve diez veinte cien total suma promedio media mediana porcentaje
        diferencia crecimiento razón detalles número año años mes meses semana semanas día días trimestre resultado
        valor nombre nombres orden reciente recientes grande grandes antiguo antiguos
    """,
    function="""
        el la los las un una unos unas yo tú nosotros me mi nos nuestro nuestra no sí ok gracias ahora se si aquí allí
        muy ya tan
    """,
    always=r"^\W*(?:y\s+)?(?:qué|que)\s+(?:hay|tal|pasa|pasó)\s+(?:de|con|en)\b|^\W*(?:y\s+)?(?:lo|el|la|los|las)\s+mism[oa]s?\b"
        r"|\bpor\s+qué\b.*\btan\s+\w+|^\W*(?:y\s+)?(?:por\s+qué|cuándo|quién|más|otra\s+vez)\W*$|\b(?:de|entre)\s+(?:ellos|"
        r"ellas|estos|estas|esos|esas)\b|\btambién\W*$|\ben\s+su\s+lugar\W*$|^\W*\w+(?:lo|la|los|las)\s+por\b"
        r"|\blos\s+demás\W*$|^\W*no\s*,",
)  # fmt: skip

ITALIAN = language(
    "it",
    asks="""
        che cosa quale quali chi quando dove perché come quanto quanti quanta quante mostra mostrami elenca dammi trova
        calcola conta confronta
    """,
    which="quale quali",
    verbs="è sono era erano fu furono essere sta stanno ha hanno aveva c'è ci può",
    changes="ordina raggruppa filtra limita aggiungi togli escludi includi arrotonda spiega",
    joins="e ed ma o anche allora poi invece",
    only="solo soltanto solamente",
    divides="per",
    prepositions="""
        in nel nella nei nelle per da dal dalla di del della dei delle tra fra prima dopo fino a al alla con senza su
        sul durante secondo come
    """,
    pronouns="essi esse loro lui lei ciò questi queste quelli quelle quello ne li",
    owners="suo sua suoi sue",
    pointers="questo questa questi queste quel quella quei quelle",
    generic="""
        top primo primi prima prime ultimo ultimi ultima ultime prossimo più meno alto alta alti alte basso bassa bassi
        migliore migliori peggiore peggiori maggiore maggiori minore minori tutti tutte tutto ogni altro altri altra
        altre stesso stessa due tre quattro cinque sei sette otto nove dieci venti cento totale somma media mediana
        percentuale quota differenza crescita motivo dettagli numero anno anni mese mesi settimana settimane giorno
        giorni trimestre risultato valore nome nomi ordine recente recenti grande grandi vecchio vecchi
    """,
    function="""
        il lo la i gli le l un uno una io tu noi mi ci nostro nostra non no sì ok grazie ora adesso si se qui lì molto
        già così
    """,
    always=r"^\W*(?:e\s+)?(?:che\s+(?:ne\s+)?(?:dici|mi\s+dici)|per\s+quanto\s+riguarda)\b|^\W*(?:e\s+)?(?:lo|la)\s+stess[oa]\b"
        r"|\bperché\b.*\bcosì\s+\w+|^\W*(?:e\s+)?(?:perché|quando|chi|ancora)\W*$|\b(?:di|tra|fra)\s+(?:loro|essi|questi|"
        r"quelli|queste|quelle)\b|\banche\W*$|\binvece\W*$|^\W*\w+(?:li|le|lo|la)\s+per\b|\bgli\s+altri\W*$",
)  # fmt: skip

LANGUAGES = {it.code: it for it in (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN)}
