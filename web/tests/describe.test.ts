// Charts in words, and amounts with the decimals that the sentence has.
import { describe as group, expect, it } from "vitest";
import type { Table } from "../src/api/types";
import { specOf, type Wish } from "../src/state/chart";
import { meanings, meaningsOf } from "../src/state/columns";
import { describe } from "../src/state/describe";
import { cell, columnFormats, cost, duration, numeralOf } from "../src/state/format";
import { isFigure } from "../src/state/numbers";
import { answerOf } from "./answers";

const SPACES = /[\u00a0\u202f]/g;
const MONTHS = [
  { month: "2024-01-01", revenue: 90048.6 },
  { month: "2024-02-01", revenue: 1200 },
  { month: "2024-03-01", revenue: null },
];
const wish = (changes: Partial<Wish>): Wish => ({ mark: "line", x: "month", y: "revenue", color: "", ...changes });
const words = (chart: Wish, rows: Record<string, unknown>[], named = {}, language = "de") =>
  describe(specOf(chart, rows, named), Object.keys(rows[0] ?? {}), rows, named, language).replace(SPACES, " ");

group("a chart in words", () => {
  it("has numbers and dates as the table has them, in the reader's language", () => {
    const named = { month: "month", revenue: "hundredths" } as const;
    expect(words(wish({}), MONTHS, named)).toBe(
      "Line chart of revenue for each month from Jan. 2024 to März 2024: 2 values; " +
        "the highest is 90.048,60 (Jan. 2024), the lowest 1.200,00 (Feb. 2024).",
    );
    expect(words(wish({}), MONTHS, named, "en-US")).toContain("the highest is 90,048.60 (Jan 2024)");
  });

  it("names months that are numbers, and leaves years without marks", () => {
    const rows = [{ month: 3, year: 2024, n: 1200 }, { month: 1, year: 2023, n: 5 }];
    expect(words(wish({ x: "month", y: "n" }), rows, { month: "month", year: "year" })).toBe(
      "Line chart of n for each month from Januar to März: 2 values; the highest is 1.200 (März), the lowest 5 (Januar).",
    );
    expect(words(wish({ x: "year", y: "n", mark: "area" }), rows, { year: "year" })).toContain("Area chart of n for each year from 2023 to 2024");
  });

  it("calls columns as the chart does, and joins a person's names", () => {
    const joined = { as: "first_name last_name", columns: ["first_name", "last_name"] };
    const rows = [{ first_name: "Ann", last_name: "Lee", "COUNT(T1.id)": 9 }, { first_name: "Bo", last_name: "Ray", "COUNT(T1.id)": 2 }];
    const encoding = {
      x: { field: joined.as, title: "name", type: "nominal" },
      y: { field: "COUNT(T1\\.id)", title: "lessons", type: "quantitative" },
    };
    expect(describe({ mark: "bar", encoding, usermeta: { joined } }, Object.keys(rows[0] ?? {}), rows, {}, "en")).toBe(
      "Bar chart of lessons for each name: 2 values; the highest is 9 (Ann Lee), the lowest 2 (Bo Ray).",
    );
  });

  it("says the ends of two amounts, and what has no amount", () => {
    const rows = [{ a: 1, b: 1234.5, c: "x" }, { a: 2, b: 3, c: null }];
    expect(words(wish({ x: "a", y: "b", mark: "point" }), rows)).toBe("Scatter plot of a and b: 2 rows; a from 1 to 2, b from 3,0 to 1.234,5.");
    expect(words(wish({ x: "c", y: "b", mark: "bar" }), rows)).toContain("the lowest 3,0 (no value)");
    expect(words(wish({ x: "c", y: "c", mark: "bar" }), rows)).toBe("Bar chart of c: 2 rows.");
  });

  it("knows stacked and grouped bars, histograms and columns with dots in their names", () => {
    const rows = [{ "a.b": "x", k: "u", n: 1 }, { "a.b": "y", k: "v", n: 2 }];
    const encoding = { x: { field: "a\\.b", type: "nominal" }, y: { field: "n", type: "quantitative" }, color: { field: "k", type: "nominal" } };
    const of = (changed: object) => describe({ mark: { type: "bar" }, encoding: { ...encoding, ...changed } }, ["a.b", "k", "n"], rows, {}, "en");
    expect(of({ y: { ...encoding.y, stack: "zero" } })).toMatch(/^Stacked bar chart of n for each a\.b and k: .* 2 \(y, v\)/);
    expect(of({ xOffset: { field: "k" } })).toMatch(/^Grouped bar chart/);
    const bins = { x: { ...encoding.y, bin: true }, y: { aggregate: "count" } };
    expect(describe({ mark: "bar", encoding: bins }, ["n"], rows, {}, "en")).toBe("Histogram of n: 2 rows; n from 1 to 2.");
  });
});

group("amounts with two decimals", () => {
  const number = { text: "€38,955.30", start: 0, end: 10, source: "result", row: 0, column: "total", expression: "" } as const;
  const answer = answerOf({ columns: ["total"], sql: "", results: [{ total: 38955.3 }], numbers: [number] });

  it("are those that the sentence writes so", () => {
    expect(meaningsOf(answer)).toEqual({ total: "hundredths" });
    expect(cell(38955.3, columnFormats(["total"], answer.results, meaningsOf(answer))[0], "en")).toBe("38,955.30");
    expect(isFigure(number, answer, meaningsOf(answer))).toBe(true);
  });

  it("are those whose highest the sentence writes so", () => {
    const highest = { ...number, source: "calculation", row: null, column: null, expression: "max(total)" } as const;
    const of = (text: string) => meaningsOf({ ...answer, results: [{ total: 38955.3 }, { total: 1 }], numbers: [{ ...highest, text }] });
    expect([of("38,955.30"), of("38,955.00")]).toEqual([{ total: "hundredths" }, {}]);
  });

  it.each([
    ["38,955.3", 38955.3],
    ["€38,955.30", 38955.304],
    ["389.55", 38955],
  ])("are not those of %s for %s", (text, total) =>
    expect(meaningsOf({ ...answer, results: [{ total }], numbers: [{ ...number, text }] })).toEqual({}),
  );

  it("are those that are stored so", () => {
    const table = (type: string): Table => ({ name: "orders", columns: [{ name: "amount", type }, { name: "n", type: "INTEGER" }] }) as never;
    const money = [table("DECIMAL(10,2)")];
    const of = (item: string, tables = money) => meanings(["x"], `SELECT ${item} AS x FROM orders AS o`, tables);
    for (const item of ["amount", "o.amount", 'SUM(o."amount")', "MAX(amount)"]) expect(of(item)).toEqual({ x: "hundredths" });
    for (const item of ["n", "AVG(amount)", "COUNT(amount)", "amount / 3"]) expect(of(item)).toEqual({});
    expect(of("amount", [table("DECIMAL(10,2)"), table("DECIMAL(10,3)")])).toEqual({});
  });

  it("leave more decimals as they are", () => {
    const format = columnFormats(["x"], [{ x: 1.234 }, { x: 2 }], { x: "hundredths" })[0];
    expect([cell(1.234, format, "en"), cell(2, format, "en")]).toEqual(["1.234", "2"]);
  });

  it("are read of a sentence with their sign", () => {
    expect(numeralOf("-€1.200,50", "de")?.value).toBe(-1200.5);
    expect(numeralOf("soon", "de")).toBeNull();
  });
});

it("time and cost have the reader's marks", () => {
  expect([duration(3000, "de"), duration(2345, "en"), duration(12_345, "de")]).toEqual(["3,0 s", "2.3 s", "12 s"]);
  expect([cost(0.12, "de"), cost(0.00042, "de"), cost(0.00042, "en")].map((one) => one.replace(SPACES, " "))).toEqual(["0,120 $", "0,00042 $", "$0.00042"]);
});
