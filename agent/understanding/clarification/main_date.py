"""Finds the date column that a question about a period refers to, by names, docs and the question's own words."""

from __future__ import annotations

import re

from agent.understanding.clarification.inquiry import Inquiry, Place, are_alike, date_places, own_words, time_words
from agent.understanding.suggest import telling_tables
from executors.base import Table
from rag.words import words

# Times of a record, not of the event it describes, and times that no question about a period refers to.
_UPKEEP = words(
    "updat update updated modif modified chang change changed delet deleted insert inserted load loaded sync synced"
    " import imported archiv archived valid expir expired expiry birth birthday born dob"
)
_CREATED = words("creat create created creation enter entered record recorded")
# Ends and plans, as opposed to beginnings and events.
_SECOND = words(
    "end ended finish finished close closed complete completed due require required expect expected plan planned"
    " estimate estimated schedul scheduled promis promised until to"
)
_SALES = words("order purchase sale transaction invoice booking sell")
_SOLD = words("order ordered purchase purchased sale sold transaction invoice invoiced placed bought booking")
_AMOUNTS = words(
    "amount amounts total revenue sales price quantity sum value turnover betrag summe umsatz montant importe importo"
)
_MEASURED = re.compile(
    r"\b(?:sales|revenues?|turnover|income|earnings|spend(?:ing)?|ums[aä]tze?|erlöse?|einnahmen|ventes?|recettes?"
    r"|chiffres?\s+d['’]affaires?|ventas|ingresos|facturaci[oó]n|vendite|fatturato|ricavi|incassi)\b|매출|판매|销售|营业额|收入",
    re.IGNORECASE,
)
# Verbs for events. They need not occur in a column's name: only their meaning decides which date they refer to.
_DEED = re.compile(
    r"\b(?!need|speed|feed|seed)\w{3,}ed\b"
    r"|\b(?:sold|bought|sent|made|paid|took|taken|left|came|went|began|begun|done|built|due|held|got|given|gave|shipping)\b",
    re.IGNORECASE,
)


def has_deed(text: str) -> bool:
    return bool(_DEED.search(text))


def list_plausible(inquiry: Inquiry, table: Table) -> list[Place]:
    """The date columns that a period of this table's rows may refer to. Only one if names or docs settle it."""
    found = date_places(table)
    for settles in (_list_hinted(inquiry, found), _list_of_rules(inquiry, found)):
        if len(settles) == 1:
            return settles
    for others in (_UPKEEP, _CREATED, _SECOND):
        found = [it for it in found if not time_words(it.column) & others] or found
    own = own_words(table)
    main = [it for it in found if time_words(it.column) <= own or are_alike(time_words(it.column), own)]
    if not main and own & _SALES:
        main = [it for it in found if time_words(it.column) & _SOLD]
    return main[:1] or found


def main_date(inquiry: Inquiry) -> Place | None:
    """The date column that a time without a column name most probably refers to. None if no dates are in play."""
    hinted = _list_hinted(inquiry, [it for table in inquiry.schema.tables for it in date_places(table)])
    own = {table.name for table in inquiry.in_play}
    for near in ([it for it in hinted if it.table.name in own], hinted if len(hinted) == 1 else []):
        if near:
            return near[0]
    if measured := _find_measured(inquiry):
        return measured
    tables = sorted(inquiry.in_play, key=lambda table: (table.name, "") not in inquiry.mentioned_names)
    has_dates = any(date_places(table) for table in tables if (table.name, "") in inquiry.mentioned_names)
    if (has_deed(inquiry.text) and not has_dates) or not any(date_places(table) for table in tables):
        # the event is in the tables that refer to the person or thing involved
        tables = [*_list_tables_beside(inquiry, tables), *tables]
    if inquiry.frames.language != "en" and not inquiry.named_tables and not inquiry.mentioned_names:
        tables = telling_tables(inquiry.schema)  # no word of the question is a name here: take the most linked tables
    return next((found[0] for table in tables if (found := list_plausible(inquiry, table))), None)


def _find_measured(inquiry: Inquiry) -> Place | None:
    """The date of the rows that are summed, if the question asks for sales or a term of the docs.

    Other names in the question ("by country") only group. Of several tables with amounts and dates, the most linked one
    is chosen.
    """
    terms = {table for table, _ in inquiry.mentioned_names}
    if not terms and not _MEASURED.search(inquiry.text):
        return None
    named = {table.name for table in inquiry.named_tables if date_places(table)}
    tables = [it for it in telling_tables(inquiry.schema) if not (terms or named) or it.name in (terms or named)]
    sums = [it for it in tables if any(words(column.name) & _AMOUNTS for column in it.columns)]
    return next((found[0] for table in sums if (found := list_plausible(inquiry, table))), None)


def _list_hinted(inquiry: Inquiry, places: list[Place]) -> list[Place]:
    """Those that the question names: in full, with the table, or by a word that is in no table's name."""
    written = [it for it in places if it.name.lower() in inquiry.text.lower()]
    if written:
        return written
    tables = {stem for table in inquiry.named_tables for stem in own_words(table)}
    mention = inquiry.stems - tables
    named = [it for it in places if inquiry.says(it.column)]
    return named or [it for it in places if are_alike(time_words(it.column), mention)]


def _list_of_rules(inquiry: Inquiry, places: list[Place]) -> list[Place]:
    """Those in the glossary entries that the question uses, or else in any rule or past query."""
    used = [it for it in places if (it.table.name, it.column.name) in inquiry.mentioned_names]
    doc_text = " ".join(f"{it.text} {it.sql}" for it in inquiry.context.known if it.kind in {"rule", "query"})
    return used or [it for it in places if re.search(rf"\b{re.escape(it.column.name)}\b", doc_text, re.IGNORECASE)]


def _list_tables_beside(inquiry: Inquiry, tables: list[Table]) -> list[Table]:
    """The tables with dates that refer to these or are linked with such a table. Those ranked highest come first."""
    near = {table.name for table in tables}
    found: dict[str, Table] = {}
    for _ in range(2):
        for table in inquiry.schema.tables:
            refers = any(key.table in near for key in table.foreign_keys)
            is_meant = any(key.table == table.name for it in found.values() for key in it.foreign_keys)
            if table.name not in near and (refers or is_meant):
                found[table.name] = table
        near |= set(found)
    places = {ranked.table: place for place, ranked in enumerate(inquiry.context.linked.ranking.tables)}
    dated = [table for table in found.values() if date_places(table)]
    return sorted(dated, key=lambda table: places.get(table.name, len(places)))
