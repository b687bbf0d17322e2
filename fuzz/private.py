"""Private columns: no reply of a model puts a private value into a response, an event, a prompt or a log.

A case's kind is a database, its text the model's query for a question that names no such column. The values are
canaries: words that occur nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Unpack

import duckdb
import httpx2
from hypothesis import strategies as st

from agent.api.app import create_app
from agent.pipeline.service import build_service
from agent.platform.llm.chat import ChatRequest, Message, Reply
from fuzz import sql
from fuzz.cases import Case, Target
from fuzz.shop import SHOP, settings_in
from testbed.tireless_model import TirelessModel

CANARIES = ("zqann7@canary.example", "zqbob8@canary.example", "zqcy9@canary.example")
QUESTION = "How many customers are there in each country, as of question {}?"  # each another one: none is known already
KINDS = ("sqlite", "duckdb")

_ROWS = (
    "c",
    "c.*",
    "*",
    "#2",
    "#3",
    "#1",
    "c.email",
    "email",
    "(c).email",
    "customers",
    "COLUMNS(*)",
    "COLUMNS('e.*')",
    "* EXCLUDE (id)",
    "x.c",
    "t.b",
    "c.rowid",
    "c.to_json",
    "name",
    "id",
    "1",
)
_AROUND = (
    "{}",
    "to_json({})",
    "{}::text",
    "({})::text",
    "CAST({} AS VARCHAR)",
    "CAST({} AS INTEGER)",
    "concat({})",
    "list({})",
    "row({})",
    "struct_pack(a := {})",
    "max({})",
    "mode() WITHIN GROUP (ORDER BY {})",
    "array_agg({} ORDER BY id)",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY {})",
    "coalesce({}, NULL)",
    "string_agg({}, ',')",
    "[{}]",
    "count({})",
    "json_array({})",
    "hash({})",
    "date_part('year', CAST({} AS DATE))",
    "group_concat({})",
    "quote({})",
    "hex({})",
    "arg_max({}, id)",
    "lag({}) OVER (ORDER BY id)",
    "CASE WHEN true THEN {} END",
    "(SELECT {} LIMIT 1)",
    "unnest([{}])",
)
_FROM = (
    "customers c",
    "customers",
    "customers AS c(a, b, d, e)",
    "(SELECT * FROM customers) c",
    "(FROM customers) c",
    "(SELECT 1, c.* FROM customers c) x",
    "customers c JOIN orders o ON o.customer_id = c.id",
    "customers c NATURAL JOIN orders",
    "customers c JOIN customers d USING (email)",
    "orders o, LATERAL (SELECT * FROM customers c WHERE c.id = o.customer_id) c",
    "(SELECT c FROM customers c) x",
)
_REST = (
    "",
    "WHERE email > ''",
    "WHERE CAST(email AS INTEGER) > 1",
    "WHERE regexp_matches('x', '[' || email)",
    "GROUP BY ALL",
    "WHERE json_extract(email, '$.a') = 1",
    "WHERE c.email LIKE 'z%' ORDER BY c.email",
    "ORDER BY 2",
    "GROUP BY email",
    "WHERE json_extract('{}', email) IS NULL",
    "WHERE strptime(email, '%Y') IS NULL",
    "UNION ALL SELECT 1, 2, 3, 4",
    "UNION ALL SELECT * FROM customers",
    "WHERE EXISTS (SELECT c)",
    "QUALIFY row_number() OVER (ORDER BY email) = 1",
)
# DuckDB's queries that begin with no SELECT.
_SHORT = (
    "TABLE customers",
    "SUMMARIZE customers",
    "SUMMARIZE SELECT {} FROM customers c",
    "SUMMARIZE (SELECT {} FROM customers c)",
    "SELECT min FROM (SUMMARIZE customers) WHERE column_name = 'email'",
    "PIVOT customers ON {} USING count(*)",
    "PIVOT customers ON country USING max({})",
    "PIVOT customers ON country USING count(*) GROUP BY {}",
    "PIVOT (SELECT {} AS v, id FROM customers c) ON v USING count(*)",
    "UNPIVOT customers ON {} INTO NAME n VALUE v",
    "UNPIVOT (SELECT id::text AS id, * EXCLUDE (id) FROM customers) ON COLUMNS(*) INTO NAME n VALUE v",
    "FROM customers",
    "FROM customers c SELECT {}",
    "WITH w AS (TABLE customers) SELECT {} FROM w c",
    "SELECT 1, 2, 3, 4 UNION ALL TABLE customers",
)


class PrivateModel(TirelessModel):
    """Answers each question with the query at hand, and remembers all that it was sent."""

    def __init__(self) -> None:
        self.sql = ""
        self.sent: list[str] = []

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The query if one is asked for, otherwise the other model's reply."""
        self.sent += [message.content for message in messages]
        reply = await super().complete(messages, **request)
        if not reply.text.startswith("```sql"):
            return reply
        return Reply(text=f"```sql\n{self.sql}\n```", usage=reply.usage)


class _LogLines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter().format(record))


class PrivateCheck:
    """Asks with the query of a case, and looks for the canaries wherever something was written."""

    def __init__(
        self, runner: asyncio.Runner, client: httpx2.AsyncClient, model: PrivateModel, logs: _LogLines
    ) -> None:
        self._runner, self._client, self._model, self._logs = runner, client, model, logs
        self.asked = self.ran = 0

    def __call__(self, case: Case) -> None:
        """Raises AssertionError if a private value was shown."""
        self._model.sql, self._model.sent, self._logs.lines = case.text, [], []
        self.asked += 1
        body = {"database": case.kind, "question": QUESTION.format(self.asked), "options": {"max_attempts": 1}}
        events = self._runner.run(self._post("/api/query/stream", body))
        self.ran += '"status":"success"' in events.replace(" ", "")
        places = {"events": events, "prompts": "\n".join(self._model.sent), "logs": "\n".join(self._logs.lines)}
        for place, text in places.items():
            leaks = [canary for canary in CANARIES if canary.split("@")[0] in text]
            assert not leaks, f"{place} tell {leaks}: {text[:400]}"

    async def _post(self, path: str, body: object) -> str:
        response = await self._client.post(f"http://test{path}", json=body)
        return response.text


@contextmanager
def opened() -> Iterator[PrivateCheck]:
    """The check, over the shop in SQLite and DuckDB with `customers.email` private."""
    with tempfile.TemporaryDirectory(prefix="plumbline-fuzz-") as name, asyncio.Runner() as runner:
        folder, model, logs = Path(name), PrivateModel(), _LogLines()
        _write(folder)
        settings = settings_in(folder)
        app = create_app(lambda: build_service(settings, model=model))
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        lifespan = app.router.lifespan_context(app)
        client = httpx2.AsyncClient(transport=transport)
        logging.getLogger().addHandler(logs)
        runner.run(lifespan.__aenter__())
        try:
            yield PrivateCheck(runner, client, model, logs)
        finally:
            logging.getLogger().removeHandler(logs)
            runner.run(client.aclose())
            runner.run(lifespan.__aexit__(None, None, None))


def _write(folder: Path) -> None:
    update = [f"UPDATE customers SET email = '{canary}' WHERE id = {at}" for at, canary in enumerate(CANARIES, 1)]
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        for statement in (*SHOP, *update):
            connection.execute(statement)
        connection.commit()
    with closing(duckdb.connect(folder / "shop.duckdb")) as opened_file:
        for statement in (*SHOP, *update):
            opened_file.execute(statement)
    lines = [f"{kind}: {{url: shop.{kind}, private: [customers.email]}}" for kind in KINDS]
    (folder / "databases.yaml").write_text("\n".join(lines), encoding="utf-8")


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from(KINDS))
    if draw(st.integers(0, 9)) == 0:
        text = draw(st.sampled_from(_SHORT)).replace("{}", draw(st.sampled_from(_ROWS)))
    elif draw(st.integers(0, 4)) == 0:
        text = draw(st.one_of(sql.generated(kind), sql.changed()))
    else:
        plain = draw(st.booleans())  # most of the others fit nothing together
        around = st.sampled_from(_AROUND)
        items = [draw(around).replace("{}", draw(st.sampled_from(_ROWS))) for _ in range(draw(st.integers(1, 3)))]
        source = draw(st.sampled_from(_FROM[:2] if plain else _FROM))
        text = f"SELECT {', '.join(items)} FROM {source} {'' if plain else draw(st.sampled_from(_REST))}".strip()
    return Case(kind, text)


TARGET = Target(name="private", kinds=KINDS, cases=_cases(), opened=opened)
