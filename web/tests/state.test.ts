import { describe, expect, it } from "vitest";
import { firstWish, kindOf, specOf } from "../src/state/chart";
import { meaningsOfRecords } from "../src/state/columns";
import { fileName } from "../src/state/download";
import { compare, matches } from "../src/state/filter";
import { type Cell, cell, columnFormat, cost, duration, durationText, isGrouped, localized, span, written } from "../src/state/format";
import { isFigure, origin, pieces } from "../src/state/numbers";
import { hashOf, parseRoute } from "../src/state/route";
import { markdownOf } from "../src/state/share";
import { changed, doing, type Turn } from "../src/state/turns";
import { pretty } from "../src/parts/pretty";
import { rowsOf } from "../src/state/rows";
import { searched } from "../src/parts/SchemaPanel";
import type { Document, Table } from "../src/api/types";
import { answerOf } from "./answers";

describe("a turn", () => {
  const asked = changed([], { type: "asked", id: "t", question: "How many?", database: "shop", at: 1000 });
  const step = (node: string, data: object) =>
    ({ type: "happened", id: "t", at: 2000, event: { event: "step", step: { node, attempt: 1, elapsedMs: 1, data } } }) as never;

  it("says what is being done, by what was done last", () => {
    const said: string[] = [doing(asked[0] as Turn)];
    let turns = changed(asked, step("schema_selector", {}));
    said.push(doing(turns[0] as Turn));
    turns = changed(turns, { type: "happened", id: "t", at: 1, event: { event: "sql_progress", sql: "SELECT" } });
    expect(turns[0]?.writing).toBe("SELECT");
    turns = changed(turns, step("sql_generator", { sql: "SELECT 1" }));
    expect(turns[0]?.writing).toBe("");
    said.push(doing(turns[0] as Turn));
    turns = changed(turns, step("sql_validator", { passed: false }));
    said.push(doing(turns[0] as Turn));
    turns = changed(turns, { type: "happened", id: "t", at: 1, event: { event: "reconnecting", tries: 1 } });
    said.push(doing(turns[0] as Turn));
    expect(said).toEqual([
      "Asking",
      "Writing the query",
      "Checking the query",
      "Analyzing the error",
      "Connection lost. Reconnecting",
    ]);
  });

  it("ends with an answer, a problem, or because it was stopped", () => {
    const done = changed(asked, { type: "happened", id: "t", at: 9, event: { event: "done", answer: answerOf() } });
    expect(done[0]).toMatchObject({ status: "answered", endedAt: 9, answerId: `${"a".repeat(32)}-${"b".repeat(16)}` });
    const problem = { type: "x", title: "No", status: 503, detail: "Later." };
    expect(changed(asked, { type: "failed", id: "t", problem, at: 9 })[0]).toMatchObject({ status: "failed", problem });
    expect(changed(asked, { type: "cancelled", id: "t", at: 9 })[0]?.status).toBe("cancelled");
    expect(changed(asked, { type: "cancelled", id: "another", at: 9 })[0]?.status).toBe("asking");
  });
});

describe("the numbers of an answer", () => {
  it("are cut out by characters, not by UTF-16 units", () => {
    const text = "🫖 Tea: 12.";
    const number = { text: "12", start: 7, end: 9, source: "result" as const, row: 1, column: "sold", expression: "" };
    expect(pieces(text, [number]).map((piece) => piece.text)).toEqual(["🫖 Tea: ", "12", "."]);
  });

  it("never lose a character, whatever the offsets", () => {
    const numbers = [
      { text: "a", start: 2, end: 4, source: null, expression: "" },
      { text: "b", start: 3, end: 5, source: null, expression: "" },
      { text: "c", start: 90, end: 99, source: null, expression: "" },
    ];
    expect(pieces("It is 12.", numbers).map((piece) => piece.text).join("")).toBe("It is 12.");
  });

  it.each([
    [{ source: "result", row: 0, column: "total" }, "From row 1, total"],
    [{ source: "result", row: null, column: null }, "From a column name"],
    [{ source: "raw", row: 4, column: "name" }, "From the source records: row 5, name"],
    [{ source: "calculation", expression: "1+2" }, "Computed: 1+2"],
    [{ source: null }, "Not supported by the data"],
  ])("say where they come from: %o", (part, said) => {
    expect(origin({ text: "1", start: 0, end: 1, expression: "", ...part } as never)).toBe(said);
  });
});

describe("digits of the sentence", () => {
  const rows = [{ title: "Route 66", year: 2024, month: "2024-03", total: "360.50", sold: 2024 }];
  const number = (text: string, part: object) => ({ text, start: 0, end: 1, expression: "", ...part }) as never;

  it.each([
    ["66", { source: "result", row: 0, column: "title" }, false],
    ["2024", { source: "result", row: 0, column: "year" }, false],
    ["2024", { source: "result", row: 0, column: "month" }, false],
    ["2024", { source: "result", row: null, column: null }, false],
    ["2024", { source: "question" }, false],
    ["66", { source: "raw", row: 0, column: "title" }, false],
    ["360.50", { source: "result", row: 0, column: "total" }, true],
    ["2024", { source: "result", row: 0, column: "sold" }, true],
    ["10", { source: "question" }, true],
    ["3", { source: "row count" }, true],
    ["2024", { source: null }, true],
  ])("%s from %o is a quantity: %o", (text, part, expected) => {
    expect(isFigure(number(text, part), { results: rows, raw_results: rows, parts: [] })).toBe(expected);
  });
});

describe("an answer as Markdown", () => {
  const link = "http://plumbline.test/#/ask?question=q";

  it("has the question, the sentence, the rows, the query and a link", () => {
    expect(markdownOf(answerOf({ results: [{ country: "Spain", customers: 1200 }] }), "Where from?", link)).toBe(
      [
        "**Where from?**",
        "Spain has 12 customers.",
        "| country | customers |\n| --- | ---: |\n| Spain | 1,200 |",
        "```sql\nSELECT country, customers FROM t\n```",
        `[Open in Plumbline](${link})\n`,
      ].join("\n\n"),
    );
  });

  it("keeps the first ten rows, and says so", () => {
    const results = Array.from({ length: 12 }, (_, n) => ({ n }));
    const text = markdownOf(answerOf({ columns: ["n"], results, row_count: 1200 }), "q", link);
    expect(text.split("\n").filter((line) => /^\| \d/.test(line))).toHaveLength(10);
    expect(text).toContain("_The first 10 of 1,200 rows._");
  });

  it("lets no value out of its cell, and no query out of its block", () => {
    const results = [{ country: "a|b\n`c`", customers: 1 }];
    const text = markdownOf(answerOf({ results, sql: "SELECT 1 -- ```" }), "q", link);
    expect(text).toContain("| a\\|b \\`c\\` | 1 |");
    expect(text).toContain("````sql\nSELECT 1 -- ```\n````");
  });

  it("makes no link and no markup of what the data holds", () => {
    const held = "[a](http://a.example) www.a.example a@a.example <b> ~~x~~";
    const plain = "\\[a\\](http\\://a.example) www\\.a.example a\\@a.example \\<b\\> \\~\\~x\\~\\~";
    const text = markdownOf(answerOf({ answer: `First: ${held}`, results: [{ country: held }], columns: ["country"] }), "q", link);
    expect(text).toContain(`First: ${plain}\n`);
    expect(text).toContain(`| ${plain} |`);
  });
});

describe("filters and order", () => {
  it.each([
    [12, ">10", true],
    [12, "<= 11", false],
    [1234, "> 1,000", true],
    [null, ">0", false],
    ["C", "=c", true],
    ["CC", "=c", false],
    [null, "=", true],
    ["X", "!x", false],
    ["Ada Lovelace", "love", true],
    [1234.5, "1,234", true],
    [1234.5, "1234", true],
    ["<b>", "<b", true],
  ])("%o by %s", (value, filter, found) => expect(matches(value, filter)).toBe(found));

  it("orders numbers by size and texts as a dictionary has them", () => {
    expect([10, 9, 100].sort(compare)).toEqual([9, 10, 100]);
    expect(["b", "A", "a10", "a9"].sort(compare)).toEqual(["A", "a9", "a10", "b"]);
  });
});

describe("what is shown", () => {
  it("groups amounts, and leaves years and ids alone", () => {
    expect(cell(1234567.5)).toBe("1,234,567.5");
    expect(cell(2024, columnFormat("year", [2024]))).toBe("2024");
    expect([isGrouped("customer_id"), isGrouped("amount")]).toEqual([false, true]);
    expect(cell({ a: 1 })).toBe('{"a":1}');
  });

  it("says time and cost as people do", () => {
    expect([span(90), span(3600), span(7200), span(30 * 86_400)]).toEqual(["2 minutes", "1 hour", "2 hours", "30 days"]);
    expect([duration(80), duration(2345), duration(61_000)]).toEqual(["80 ms", "2.3 s", "1 min 1 s"]);
    expect([cost(null), cost(0), cost(0.00042), cost(0.12)]).toEqual(["cost unknown", "$0.00", "$0.00042", "$0.120"]);
  });

  it("names files after questions", () => {
    expect(fileName("Wie viele Aufträge? <2024>")).toBe("wie-viele-aufträge-2024");
    expect(fileName("???")).toBe("rows");
  });

  it("lays a query out, and leaves half a one alone", () => {
    expect(pretty("select a, b from t where a = 1", "duckdb").split("\n").length).toBeGreaterThan(3);
    expect(pretty("SELECT 'a", "sqlite")).toBe("SELECT 'a");
  });

  it("writes the numbers of a column alike, in the marks of a language", () => {
    const money = columnFormat("revenue", [1087206.3, 12.25, null]);
    expect(written(1087206.3, "en", money)).toBe("1,087,206.30");
    expect(written(1087206.3, "de", money)).toBe("1.087.206,30");
    expect(written(1533, "es", columnFormat("n", [1533]))).toBe("1.533");
    expect(written(12.123456789, "en", columnFormat("average", [12.123456789, 3.5]))).toBe("12.123457");
    expect(written(1e-9, "en", columnFormat("x", [1e-9]))).toBe("1e-9");
  });

  it.each([
    ["1.087.206,30", "de", "1,087,206.30"],
    ["€1.200", "de", "€1,200"],
    ["1.200", "de", "1,200"],
    ["12,5", "de", "12.5"],
    ["12,5 %", "de", "12.5 %"],
    ["1200", "de", "1200"],
    ["3", "de", "3"],
    ["1,200", "en", "1,200"],
    ["1.2 million", "de", "1.2 million"],
    ["2024-03-01", "de", "2024-03-01"],
    ["zwei", "de", "zwei"],
  ])("writes %s of a sentence in %s with the reader's marks: %s", (text, language, shown) => {
    expect(localized(text, language, "en")).toBe(shown);
    expect(localized(text, language, language)).toBe(text);
  });

  it("writes an ISO 8601 duration with its units", () => {
    const texts = ["PT1H25M3.668356S", "PT59M59.7S", "P1DT2H", "PT36H", "PT3.668S", "PT1.005S", "PT0.0034S", "-PT5M", "-PT0S", "P1Y2M", "P5D"];
    const expected = ["1 h 25 min 4 s", "1 h", "1 d 2 h", "1 d 12 h", "3.668 s", "1.005 s", "0.0034 s", "-5 min", "0 s", null, null];
    expect(texts.map((text) => durationText(text, "en"))).toEqual(expected);
    expect(cell("PT1H25M")).toBe("1 h 25 min");
  });

  it("writes a number of a sentence as its column is written, unless it is rounded", () => {
    const money: Cell = { value: 61885.6, format: columnFormat("revenue", [61885.6], "hundredths") };
    expect(localized("61,885.6", "en", "en", money)).toBe("61,885.60");
    expect(localized("€61885.6", "en", "en", money)).toBe("€61,885.60");
    expect(localized("61.885,6 €", "de", "en", money)).toBe("61,885.60 €");
    expect(localized("61,886", "en", "en", money)).toBe("61,886");
    expect(localized("-5.5", "en", "en", { value: -5.5, format: columnFormat("change", [-5.5, 2.25]) })).toBe("-5.50");
  });

  it("marks no thousands in four digits of a sentence, nor in those of a name", () => {
    expect(localized("2024", "en", "en", { value: 2024, format: columnFormat("season", [2024]) })).toBe("2024");
    expect(localized("12345", "en", "en", { value: 12345, format: columnFormat("order_id", [12345]) })).toBe("12345");
  });

  it("knows the amounts with two decimals among the columns of records", () => {
    const typed = (name: string, type: string) => ({ name, type, nullable: true, comment: "", samples: [], private: false });
    const table = (name: string, type: string) => ({ name, columns: [typed("order_id", "BIGINT"), typed("amount", type)] });
    const tables = (...types: string[]) => types.map((type, at) => table(`t${at}`, type)) as unknown as Table[];
    expect(meaningsOfRecords(["order_id", "amount"], tables("DECIMAL(10, 2)"))).toEqual({ amount: "hundredths" });
    expect(meaningsOfRecords(["order_id", "amount"], tables("DECIMAL(10, 2)", "DOUBLE"))).toEqual({});
    expect(meaningsOfRecords(["order_id", "price"], tables("DECIMAL(10, 2)"))).toEqual({});
  });

  it("makes objects of rows", () => {
    expect(rowsOf({ columns: ["a", "a_2"], rows: [[1, 2]] })).toEqual([{ a: 1, a_2: 2 }]);
  });
});

describe("the address", () => {
  it.each(["#/", "#/session/abc", "#/shared/12", "#/saved", "#/reviews", "#/reviews/12", "#/ask?database=shop&question=How+many%3F"])(
    "%s leads there and back",
    (hash) => expect(hashOf(parseRoute(hash))).toBe(hash),
  );

  it("takes what is unknown for the beginning", () => {
    expect(parseRoute("#/nowhere/else")).toEqual({ view: "ask", question: "", database: "" });
  });
});

describe("charts", () => {
  const rows = [
    { month: "2024-01", total: 1, "a.b": "x" },
    { month: "2024-02", total: 2, "a.b": "y" },
  ];

  it("know what a column holds", () => {
    expect(["month", "total", "a.b"].map((name) => kindOf(name, rows))).toEqual(["temporal", "quantitative", "nominal"]);
  });

  it.each([
    [["2024-01", "2024-02"], {}, "utcyearmonth"],
    [["2024-01-01", "2024-02-01T00:00:00"], { at: "month" }, "utcyearmonth"],
    [["2024-01-01", "2024-02-01T00:00:00"], {}, "utcyearmonthdate"],
    [["2024-01-01", "2024-01-15"], { at: "month" }, "utcyearmonthdate"],
    [["2024-01-01T10:30", "2024-02-01T00:00"], {}, undefined],
  ] as const)("show %o, %o, as %s", (values, named, unit) => {
    const spec = specOf({ mark: "line", x: "at", y: "n", color: "" }, values.map((at) => ({ at, n: 1 })), named);
    expect((spec.encoding as { x: { timeUnit?: string } }).x.timeUnit).toBe(unit);
  });

  it("take a dot in a name for no path", () => {
    const spec = specOf({ mark: "bar", x: "a.b", y: "total", color: "" }, rows) as { encoding: { x: { field: string } } };
    expect(spec.encoding.x.field).toBe("a\\.b");
  });

  it("begin where there is something to measure", () => {
    expect(firstWish(["month", "total"], rows)).toMatchObject({ mark: "line", x: "month", y: "total" });
    expect(firstWish(["month"], rows)).toBeNull();
    expect(firstWish(["month", "total"], rows.slice(1))).toBeNull();
  });
});

describe("the schema's search", () => {
  const column = (name: string) => ({ name, type: "TEXT", nullable: true, comment: "", samples: [], private: false });
  const table = (name: string, ...columns: string[]): Table =>
    ({ name, namespace: "", columns: columns.map(column), primary_key: [], foreign_keys: [], comment: "", is_view: false }) as never;
  const tables = [table("orders", "status", "amount"), table("customers", "name")];
  const note = { id: "1", kind: "column", table: "orders", column: "status", text: "X is cancelled", sql: "", source: "" } as Document;

  it("finds tables, columns and what is written about them", () => {
    const names = (search: string) => searched(tables, [note], search).map((one) => [one.table.name, one.columns.length]);
    expect(names("")).toEqual([["orders", 2], ["customers", 1]]);
    expect(names("cancelled")).toEqual([["orders", 1]]);
    expect(names("orders amount")).toEqual([["orders", 1]]);
    expect(names("customers")).toEqual([["customers", 1]]);
    expect(names("nothing")).toEqual([]);
  });
});
