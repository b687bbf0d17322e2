"""Compares words of a sentence and a question: recognizes forms of one word without knowing the language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

WORD = re.compile(r"[A-Z]+(?![a-zß-öø-ÿ])|[A-Z]?[a-zß-öø-ÿ]+|[^\W\d_]+")
# Word endings in six languages, without accents. They follow the stem that two forms share.
_ENDINGS_OF_ALL = """
    s es e n en ied er ern em d ed t te ten ter tes tem ing r a o i as os ie ies y ee ees ada ado adas ados ato ata ati
    ate ida ido idas idos ita ito iti ite uto uta uti ute ly al an in innen ung ungen x aux is it iz ez ons ait aient
    ar ir re ire are ere on ano ono no aron eron ion ions iones ioni ant ante anti ent ente enti ens st sten ste ster
    stes stem hi he age ages ping ped ning ned ting ted ling led ings tion tions ship ships ment ments
    ure ures als ely ity ities ava avano aba aban eva evano tti tte zione zioni arse erse irse ación aciones sion sions
"""
_ENDINGS = frozenset({"", *_ENDINGS_OF_ALL.split()})
_LONG = 5  # letters
_IRREGULAR = """
    sell sells sold selling;pay paid pays;spend spent spends;drive drove driven drives;go went gone;
    write wrote written;make made;take took taken;give gave given;send sent;build built;lose loses lost losing;
    win wins won winning;hold held;
    leave left;come came;begin began begun;grow grew grown;keep kept;run ran;ride rode ridden;meet met;find found;
    delay delays delayed late;client clients customer customers;movie movies film films;
    employee employees staff;shop shops store stores;buy bought buys purchase purchases purchased;
    bring brought;fly flew flown flies flight flights;see saw seen;know knew known;
    person people persons;man men;woman women;child children;
    rise rose risen;fall fell fallen;stand stood;sale sales sold sell;die died;lie lay;teach taught;think thought;
    fahren fuhr fuhren gefahren fahrt fahrten;verkaufen verkauft verkaufte verkauf verkäufe;geben gab gegeben;
    nehmen nahm genommen;
    haus häuser;land länder;vendre vendu vendus vendue vendues vente ventes;
    vendere venduto venduti vendita vendite;vender vendido vendidos vendida vendidas venta ventas;pagar pagado pagó;
    cheval chevaux;pays pais;conducir condujo conducido;recorrer recorrió;percorrere percorso percorsi;
    parcourir parcouru parcourus;tenir tenu;fare fatto;hacer hecho;mettre mis;rendre rendu;ville villes;day days;
    produce produces produced production producing produit produits produite produites produisent produire producir
    producido produjo producción produrre prodotto prodotti produzione produzieren produziert produzierte produktion;
    id ids;birth birthday born geburt geboren naissance né née nacimiento nacido nacida nascita nato nata;
    euro euros eur €;dollar dollars usd $;pound pounds gbp £;franc francs chf franken;yen jpy ¥;rupee rupees inr ₹;
    km kilometer kilometers kilometre kilometres kilometern kilomètre kilomètres kilómetro kilómetros chilometro
    chilometri;m meter meters metre metres metern mètre mètres metro metros metri;kg kilogram kilograms kilo kilos
    kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammo chilogrammi chili;g gram grams gramm gramme
    grammes;t ton tons tonne tonnes tonnen toneladas tonnellate metric-tons metric-tonnes;l liter liters litre litres
    litern litro litros litri;
    h hr hrs hour hours stunde stunden heure heures hora horas ora ore;min mins minute minutes minuten minuto minutos
    minuti;s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi;
    mon monday mondays montag montags lundi lunes lunedì;
    tue tues tuesday tuesdays dienstag dienstags mardi martes martedì;
    wed wednesday wednesdays mittwoch mittwochs mercredi miércoles mercoledì;thu thurs thursday thursdays donnerstag
    donnerstags jeudi jueves giovedì;fri friday fridays freitag freitags vendredi viernes venerdì;
    sat saturday saturdays samstag samstags samedi sábado sabato;sun sunday sundays sonntag sonntags dimanche domingo
    domenica;
    day days tag tage tagen jour jours día días giorno giorni;mile miles mi meile meilen;
    °c celsius degree-celsius degrees-celsius degrees-centigrade grad-celsius degrés-celsius grados-celsius
    gradi-celsius;
    °f fahrenheit degree-fahrenheit degrees-fahrenheit grad-fahrenheit;
    m² m2 sqm qm quadratmeter square-meter square-meters square-metre square-metres mètres-carrés metros-cuadrados
    metri-quadrati;km² km2 quadratkilometer square-kilometer square-kilometers square-kilometre square-kilometres
    kilomètres-carrés kilómetros-cuadrados chilometri-quadrati;
    m³ m3 kubikmeter cubic-meter cubic-meters cubic-metre cubic-metres mètres-cubes metros-cúbicos metri-cubi;
    wh watt-hour watt-hours wattstunden wattheures vatios-hora wattora;
    mwh megawatt-hour megawatt-hours megawattstunden mégawattheures megavatios-hora megawattora;
    gwh gigawatt-hour gigawatt-hours gigawattstunden gigawattheures gigavatios-hora gigawattora;
    tb terabyte terabytes;kb kilobyte kilobytes;
    ha hectare hectares hektar hectárea hectáreas ettaro ettari;kw kilowatt kilowatts;mw megawatt megawatts megavatios;
    gw gigawatt gigawatts;cm centimeter centimeters centimetre centimetres zentimeter centimètres centímetros
    centimetri;mm millimeter millimeters millimetre millimetres millimètres milímetros millimetri;
    gb gigabyte gigabytes;mb megabyte megabytes;mg milligram milligrams milligramm milligrammes miligramos milligrammi;
    ml milliliter milliliters millilitre millilitres mililitros millilitri;
    mass size größe taille tamaño dimensione;
    kwh kilowatt-hour kilowatt-hours kilowattstunden kilowattheures kilovatios-hora chilowattora
    kilowattora;pct percent percentage prozent pourcentage porcentaje percentuale
    """
_SETS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_IRREGULAR.replace("\n", " ").split(";")):
    for _word in (form for it in _line.split() for form in {it, it.replace("-", " ")}):
        _SETS[_word] = _SETS.get(_word, frozenset()) | {_number}
# Units of two words, with or without a hyphen.
COMPOUND_UNITS = frozenset(tuple(it.split(" ")) for it in _SETS if " " in it)


def words_of(text: str) -> list[str]:
    """The words of a text or a name, in lower case. Parts of snake_case and camelCase names count as words."""
    return [word.lower() for word in WORD.findall(text)]


def have_one_meaning(one: str, other: str) -> bool:
    """Whether the list of synonyms contains two lower-case words together: "km" and "kilometres"."""
    return bool(_SETS.get(one, frozenset()) & _SETS.get(other, frozenset()))


@lru_cache(maxsize=8192)
def fold_word(word: str) -> str:
    """A word in lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=65536)
def is_same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one: "storniert" and "stornierte", "sold" and "sell", "km" and "kilometres"."""
    if one == other or have_one_meaning(one, other):
        return True
    one, other = fold_word(one), fold_word(other)
    if one == other or _participle(one) == other or one == _participle(other):
        return True
    shared = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), None)
    shared = min(len(one), len(other)) if shared is None else shared
    least = 3 if min(len(one), len(other)) < 6 else 4
    # The endings may begin alike: "member-s", "member-ship".
    stems = (at for at in (shared, shared - 1) if at >= least)
    return any(one[at:] in _ENDINGS and other[at:] in _ENDINGS for at in stems)


def _participle(word: str) -> str:
    """German: `leitet` for `geleitet`."""
    return word[2:] if word.startswith("ge") and word.endswith("t") and len(word) > _LONG else word


def is_among(word: str, known: Iterable[str]) -> bool:
    """Whether a word is a form of one of these."""
    return any(is_same_word(word, it) for it in known)
