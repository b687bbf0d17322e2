# ruff: noqa: E501  sentences and patterns are read best in one piece
"""Orders to change the data, known by their words in six languages."""

from __future__ import annotations

import re

_POLITE = r"\W*(?:(?:please|bitte|s['’]il (?:te|vous) pla[îi]t|por favor|per favore)[\s,]+)?"
# An order with what it is given to: "drop all tables", but not "drop in revenue since May".
_GIVEN_TO = r"(?:all|every|tables?|databases?|schemas?|views?|rows?|records?|columns?|index(?:es)?|users?|from|into)\b"
_ALL = {
    "de": r"(?:sie\s+)?(?:alles|alle[nr]?|jede[nr]?|(?:die\s+)?(?:tabellen?|datenbank|zeilen?|datens[aä]tze|spalten?)|aus|in)\b",
    "fr": r"(?:tout(?:es)?|tous|chaque|(?:la|les|l['’]|une?)\s?(?:tables?|bases?|lignes?|enregistrements?|colonnes?)|dans)\b",
    "es": r"(?:tod[oa]s?|cada|(?:la|las|los|el|una?)\s(?:tablas?|base|filas?|registros?|columnas?)|en)\b",
    "it": r"(?:tutt[oaie]|ogni|(?:la|le|i|il|una?)\s(?:tabell[ae]|righ?[ae]|record|colonn[ae]|database)|nella|in)\b",
}
# Those that no switch allows are about what holds the rows.
_NEVER = re.compile(
    rf"{_POLITE}(?:(?:drop|truncate|alter|grant|revoke)\s+{_GIVEN_TO}"
    r"|(?:l[öo]sche|leere)\s+(?:die\s+)?(?:tabelle|datenbank|spalte)|(?:supprime|vide)[rz]?\s+la\s+(?:table|base|colonne)"
    r"|(?:borra|elimina|vac[íi]a)r?\s+la\s+(?:tabla|base|columna)|(?:cancella|elimina|svuota)\s+(?:la\s+(?:tabella|colonna)|il\s+database)"
    r"|\S*\s*테이블(?:을|를)?\s*(?:모두\s*|전부\s*)?(?:삭제해|삭제하|지워|드롭))",
    re.IGNORECASE,
)
_WISH = re.compile(
    rf"{_POLITE}(?:(?:drop|truncate|alter|delete|insert|grant|revoke)\s+{_GIVEN_TO}"
    rf"|(?:l[öo]sche|leere)\s+{_ALL['de']}|füge\s+(?:in|zu)\b.*\b(?:ein|hinzu)\b"
    rf"|(?:supprime|efface|vide|insère)[rz]?\s+{_ALL['fr']}|(?:borra|elimina|suprime|vac[íi]a|inserta)r?\s+{_ALL['es']}"
    rf"|(?:cancella|elimina|svuota|inserisci)\s+{_ALL['it']}"
    r"|(?:[^.?!]*\s)?(?:모든|전체|모두|전부)\s[^.?!]*(?:삭제해|삭제하세|지워\s?(?:줘|주세요|라|$))"
    r"|[^.?!]*(?:행|레코드|테이블)(?:을|를)\s*(?:삭제해|삭제하세|지워\s?(?:줘|주세요|라|$)))",
    re.IGNORECASE,
)
# An order to change rows. Only who has allowed it for this request is taken at these words.
_ORDER = re.compile(
    rf"{_POLITE}(?:(?:set|change|update|delete|remove|insert|add|mark|rename|correct|replace|cancel|assign)\s+"
    r"(?!(?:me|us|up|in|of|over|by|between)\b)\w"
    r"|(?:setze?|änder[en]?|aktualisiere|lösche|entferne|füge|markiere|korrigiere|ersetze|storniere)\s+(?!(?:mich|uns|mir)\b)\w"
    r"|(?:change|modifie|supprime|efface|ajoute|insère|remplace|annule|corrige|marque|mets?\sà\sjour|mettez\sà\sjour)[rz]?\s+(?:l[ea]s?\b|l['’]|un|une|toute?s?|tous|ce|cette|ces|son|sa|ses|du|des)\s?\w"
    r"|(?:cambia|modifica|actualiza|borra|elimina|añade|agrega|inserta|reemplaza|cancela|corrige|marca)\s+(?!(?:de|en)\b)\w"
    r"|(?:aggiorna|cancella|aggiungi|inserisci|sostituisci|annulla|correggi|segna)\s+\w"
    r"|[^.?!]*(?:삭제|변경|수정|추가|갱신|취소|삽입)해\s?(?:줘|주세요|라)?\W*$)",
    re.IGNORECASE,
)


def wishes_change(question: str) -> bool:
    """Whether a question is a plain order that a reader of the data may be refused for."""
    return bool(_WISH.match(question) or _NEVER.match(question))


def wants_more_than_rows(question: str) -> bool:
    """Whether it is an order about what holds the rows: tables, columns, rights."""
    return bool(_NEVER.match(question))


def orders_change(question: str) -> bool:
    """Whether a question is, in so many words, an order to change rows."""
    return bool(_ORDER.match(question))
