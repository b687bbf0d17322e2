"""Words for a kind of measure: a price is "expensive" and "costs", a count is "popular"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_NONE = r"(?!)"  # matches nothing


class Kind(NamedTuple):
    """A kind of measure.

    columns: a pattern for their names and docs. counts: whether a number of rows is of this kind.
    words: synonyms of the column's name. adjectives: those that compare it.
    """

    columns: re.Pattern[str]
    counts: bool
    words: frozenset[str]
    adjectives: re.Pattern[str]


def _kind(columns: str, words: str, adjectives: str = _NONE, *, counts: bool = False) -> Kind:
    return Kind(
        re.compile(columns, re.IGNORECASE), counts, frozenset(words.split()), re.compile(adjectives, re.IGNORECASE)
    )


_KINDS = (
    _kind(
        r"price|interest|(?<![a-z])cost|fare|\brent\b|_rent|rent_|preis|kosten|miete|prix|coût|cout|loyer|tarif|precio|cost[eo]|"
        r"prezzo|affitto",
        """cost costs costing price prices priced kostet kosten kostete kosteten preis preise coûte coûtent coûtait
        prix cuesta cuestan costaba precio precios costa costano prezzo prezzi pay pays paid spend spends
        spent spending invest invests invested budget zahlt zahlte zahlten bezahlt investiert investierte
        ausgegeben gab payé payée dépensé dépense investi gastó gastaron gastado pagó pagaron invirtió
        invertido spende speso spesi pagato investito""",
        r"expensive|pric(?:ier|iest)|costl\w+|dear\w*|cheap\w*|teuer\w*|teure\w*|billig\w*|günstig\w*|cher|chère|chers|chères|car[oaie]|caros"
        r"|caras|barat[oa]s?|costos[oaie]",
    ),
    _kind(
        r"participant|visit|booking|sold|order|ticket|member|loan|teilnehm|buchung|besuch|verkauf|mitglied|inscri|ventes|"
        r"vendu|reserv|réserv|prenot|iscritt|socios",
        "",
        r"popular|common|frequent|beliebt\w*|häufig\w*|populaires?|fréquente?s?|frecuentes?|popolar[ei]|frequent[ei]",
        counts=True,
    ),
    _kind(
        r"visit|attendance|spectator|passenger|ticket|order|trip|admission|incident|request|\bcall|zuschauer|besuch"
        r"|visiteur|espectador|visitante|spettator|visitator",
        """draw draws drew drawn spectators visitors visited attended attendance people zuschauer besucher
        spectateurs visiteurs espectadores visitantes spettatori visitatori""",
        r"bus(?:y|ier|iest)|quiet(?:er|est)?",
        counts=True,
    ),
    _kind(
        r"distan|length|d[ée]lai|jours|giorni|d[ií]as|tage|länge|longueur|longitud|lunghezza|durati?on|dauer|durée|duraci|durat|minut|hour|days|night|stund|wait"
        r"|heures?|horas?|(?:^|[_ ])(?:km|ore|time|min|h)(?:$|[_ ])|kilomet|miles?",
        """take takes took taken taking lasts lasted need needs needed needing wait waits waited wartete warteten
        mis mettre met besoin tarda tardó tardaron impiega impiegato long lang lange dauert dauerten
        dauern dauerte dure durent duraient longs longue longues dura duran duró largo larga durano lungo
        lunga lunghi rápido rápida rápidos rápidas veloce veloci rapide rapides vite lento lenta lenti
        lente lents lentos lentas""",
        r"long(?:er|est)|short(?:er|est)|(?:länger|längst|kürzer|kürzest)\w*|f[au]rthest",
    ),
    _kind(
        r"distan|mileage|(?:^|[_ ])km(?:$|[_ ])|kilomet|miles?|strecke|recorrid|percors",
        """travel travels travelled traveled travelling cover covers covered distance gefahren zurückgelegt strecke
        parcouru parcourue recorrido recorrida recorrió recorrieron percorso percorsi percorsa""",
        r"f[au]rther",
    ),
    _kind(
        r"yield|output|producti|harvest|ertrag|erzeug|rendement|rendimiento|\bresa\b",
        """produce produces produced producing generate generates generated supply supplies supplied harvest harvested
        erzeugt erzeugte erzeugten produziert produzierte produit produisent produce producen produjo genera generan
        produce producono prodotto""",
        r"productive|ergiebig\w*|producti[fv]\w*|produttiv\w*",
    ),
    _kind(
        r"^(?!.*(?:produ|output|generat|erzeug)).*(?:kwh|mwh|energ|electri|strom|verbrauch|électri|énerg|consum|elettric)",
        """use uses used using usage consume consumes consumed consuming consumption verbraucht verbrauchte verbrauch
        nutzte consommé consomme consommation consumió consume consumo consumato consumi utilisé utilizó usato""",
    ),
    _kind(
        r"occup|auslastung|load factor|capacity|ocupac",
        "full occupied belegt ausgelastet voll plein pleine occupé occupée lleno llena ocupado ocupada pieno piena",
    ),
    _kind(
        r"rating|score|severity|bewertung|valoraci|valutaz|\bnotes?\b|\bvoto\b",
        "rate rates rated rating bewertet erreicht noté notée valorado valorada valutato valutata",
    ),
    _kind(
        r"quantit|(?:^|[_ ])(?:qty|stock|units?)(?:$|[_ ])|cantidad|menge|pieces|stück",
        """unit units piece pieces stück einheit einheiten unité unités pièce pièces unidad unidades pieza piezas unità
        pezzo pezzi""",
    ),
    _kind(r"height|tall|elevation|altitude|größe|höhe|hauteur|taille|altura|estatura|altezza", "", r"tall(?:er|est)"),
    _kind(
        r"temp|celsius|°",
        "",
        r"(?:hot|warm|cool|cold)(?:t?er|t?est)|(?:wärm|heiß|kält)\w*",
    ),
    _kind(
        r"precip|rain|niederschlag|regen|pluie|précip|lluvia|pioggia",
        "",
        r"wet(?:ter|test)|dri(?:er|est)|trockenst\w*",
    ),
    _kind(
        r"weigh|weight|(?:^|[_ ])(?:kg|tons?|g)(?:$|[_ ])|gewicht|poids|\bpeso",
        "weigh weighs weighed weighing weight wiegt wiegen wog wogen pèse pesait pesa pesaba pesan pesó pesava pesano",
        r"heav(?:ier|iest)|light(?:er|est)|(?:schwerer|schwerst|leichter|leichtest)\w*",
    ),
    _kind(
        r"(?:^|[_ ])(?:area|m2|sqm|qm)(?:$|[_ ])|fläche|surface|superfici",
        "m² qm square area fläche surface superficie quadratmeter",
    ),
    _kind(
        r"passenger|parcel|freight|cargo|fahrg[aä]st|passag|pasajer|passegger|paket|colis",
        """carry carries carried transport transports transported befördert beförderte beförderten transporté
        transportés transporta transportó trasportato trasportati""",
    ),
    _kind(
        r"revenue|sales|turnover|income|profit|earn|margin|fare|fee|amount|salary|wage|pay|value|total|umsatz|gewinn|"
        r"betrag|gehalt|lohn|erlös",
        "",
        r"earn\w*",
    ),
    _kind(
        r"profit|result|loss|lost|gain|income|margin|change|diff|delta|growth|gewinn|ergebnis|verlust|bénéfice|perte|"
        r"benefici|pérdida|utile|perdita",
        "",
        r"lost|loss(?:es)?|verluste?|pertes?|pérdidas?|perdit[ae]",
        counts=True,
    ),
)  # fmt: skip


def words_of_kind(names: Sequence[str]) -> frozenset[str]:
    """Words that may replace a column's name. Args: names: its own, its sources', its docs."""
    return frozenset(word for kind in _KINDS if any(kind.columns.search(it) for it in names) for word in kind.words)


def fits(text: str, names: Sequence[str], *, counts: bool) -> bool:
    """Whether the adjectives in a text fit a column. True if there are none.

    Args:
        names: the column's own, its sources', its docs.
        counts: whether it counts rows.
    """
    kinds = [kind for kind in _KINDS if any(kind.adjectives.fullmatch(word) for word in text.lower().split())]
    return all((kind.counts and counts) or any(kind.columns.search(it) for it in names) for kind in kinds)


def are_of_one_kind(one: str, other: str) -> bool:
    """Whether two adjectives compare one kind of measure: "longest" and "shortest"."""
    return any(kind.adjectives.fullmatch(one.lower()) and kind.adjectives.fullmatch(other.lower()) for kind in _KINDS)


def is_adjective(word: str) -> bool:
    """Whether a word is an adjective that compares a kind of measure."""
    return any(kind.adjectives.fullmatch(word) for kind in _KINDS)
