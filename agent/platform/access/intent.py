# ruff: noqa: E501  sentences and patterns are read best in one piece
"""Detects questions that ask for a change of the data, and checks whether the caller may make one."""

from __future__ import annotations

import re

from agent.core.callers import LOCAL, is_listed
from agent.core.errors import WritesNotAllowed
from agent.core.models import Options
from agent.platform.config.settings import Settings
from executors.registry.registry import Entry

_POLITE = r"\W*(?:(?:please|bitte|s['’]il (?:te|vous) pla[îi]t|por favor|per favore)[\s,]+)?"
# An order with its object: "drop all tables", but not "drop in revenue since May".
_GIVEN_TO = r"(?:all|every|tables?|databases?|schemas?|views?|rows?|records?|columns?|index(?:es)?|users?|from|into)\b"
_ALL = {
    "de": r"(?:sie\s+)?(?:alles|alle[nr]?|jede[nr]?|(?:die\s+)?(?:tabellen?|datenbank|zeilen?|datens[aä]tze|spalten?)|aus|in)\b",
    "fr": r"(?:tout(?:es)?|tous|chaque|(?:la|les|l['’]|une?)\s?(?:tables?|bases?|lignes?|enregistrements?|colonnes?)|dans)\b",
    "es": r"(?:tod[oa]s?|cada|(?:la|las|los|el|una?)\s(?:tablas?|base|filas?|registros?|columnas?)|en)\b",
    "it": r"(?:tutt[oaie]|ogni|(?:la|le|i|il|una?)\s(?:tabell[ae]|righ?[ae]|record|colonn[ae]|database)|nella|in)\b",
}
# Orders that no setting allows: they concern tables, columns and rights, not rows.
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
# An order to change rows. It counts only if writes are allowed for the request.
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
    """Whether a question is a plain order to change data, which is refused without write access."""
    return bool(_WISH.match(question) or _NEVER.match(question))


def wants_more_than_rows(question: str) -> bool:
    """Whether a question is an order to change tables, columns or rights."""
    return bool(_NEVER.match(question))


def orders_change(question: str) -> bool:
    """Whether a question is literally an order to change rows."""
    return bool(_ORDER.match(question))


_ONLY_READS = "Plumbline only reads here, and answering this would change the data."
PARTIAL = "You see only some rows of this database, and only a caller who sees all of them may change any."
NEVER = "Rows can be changed, but never tables, views, columns or rights. Ask for a change of rows, or a question."


def write_refusal(settings: Settings, entry: Entry, principal: str, options: Options) -> str:
    """Why this request may not change data: a sentence about the first switch that is off. Empty: it may."""
    if not settings.allow_writes:
        return f"{_ONLY_READS} Writes are switched off (PLUMBLINE_ALLOW_WRITES). Ask what the data says instead."
    if not entry.writable:
        why = f"The database {entry.name!r} is not marked `writable: true` in the registry."
        return f"{_ONLY_READS} {why} Ask what the data says instead."
    if principal != LOCAL and not is_listed(principal, entry.writers):
        why = f"You are not among the `writers` of the database {entry.name!r} in the registry."
        return f"{_ONLY_READS} {why} Ask what the data says instead."
    if principal != LOCAL and entry.row_filter is not None and entry.row_filter.values_of(principal) is not None:
        return f"{_ONLY_READS} {PARTIAL} Ask what the data says instead."
    if not options.allow_writes and options.confirm is None:
        how = "To have a change planned, send `allow_writes: true` among the options of `POST /api/query`."
        return f"{_ONLY_READS} {how}"
    return ""


def refuse_writes(question: str, options: Options, refusal: str) -> None:
    """Raise WritesNotAllowed for an order or a confirmation that is refused. The guard decides all other cases."""
    if refusal and (options.confirm is not None or wishes_change(question)):
        raise WritesNotAllowed(refusal)
    if options.confirm is None and wants_more_than_rows(question):
        raise WritesNotAllowed(NEVER)
