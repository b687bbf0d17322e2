// Dates, months and years as the reader's language writes them: in sentences, tables and charts.
import { describe, expect, it } from "vitest";
import { readable } from "../src/state/chart";
import { meanings } from "../src/state/columns";
import { matches } from "../src/state/filter";
import { cell, columnFormat, isGrouped } from "../src/state/format";
import type { Meanings } from "../src/state/meaning";
import { dateText, momentOf, withDates } from "../src/state/moments";
import { isFigure, pieces } from "../src/state/numbers";
import type { Table } from "../src/api/types";

const SPACES = /[\u00a0\u202f]/g; // which languages put between parts
const shown = (name: string, values: unknown[], language: string): string[] => {
  const format = columnFormat(name, values, meanings([name])[name]);
  return values.map((value) => cell(value, format, language).replace(SPACES, " "));
};

describe("a column of dates", () => {
  it.each([
    ["en-US", ["2024-03-01", "2024-12-31", null], ["Mar 1, 2024", "Dec 31, 2024", ""]],
    ["de", ["2024-03-01", "2024-12-31", null], ["01.03.2024", "31.12.2024", ""]],
    ["en-GB", ["2024-03-01", "2024-12-31"], ["1 Mar 2024", "31 Dec 2024"]],
    ["en-US", ["2024-03-01", "2024-04-01"], ["Mar 1, 2024", "Apr 1, 2024"]],
    ["de", ["2024-03", "2024-05"], ["März 2024", "Mai 2024"]],
    ["en-US", ["2024-03-01T00:00:00", "2024-03-02 00:00"], ["Mar 1, 2024", "Mar 2, 2024"]],
    ["de", ["2024-03-01T09:05:00", "2024-03-02T17:30:00"], ["1. März 2024, 09:05", "2. März 2024, 17:30"]],
    ["de", ["2024-03-01 09:05:07"], ["1. März 2024, 09:05:07"]],
    ["de", ["2024-03-01 09:05:07.25"], ["1. März 2024, 09:05:07,250"]],
    ["de", ["2024-03-01T23:30:00+02:00", "2024-03-01T23:30:00Z"], ["1. März 2024, 23:30 +02:00", "1. März 2024, 23:30 UTC"]],
    ["de", ["0099-03-01", "2024-03-02"], ["01.03.99", "02.03.2024"]],
  ])("in %s: %o is %o", (language, values, expected) => {
    expect(shown("at", values, language).map((one) => one.replace("0099", "99"))).toEqual(expected);
  });

  it("holds months only if its name, its query or its docs say so", () => {
    const firsts = ["2013-04-01", "2011-02-01"];
    expect(shown("hired", firsts, "en-US")).toEqual(["Apr 1, 2013", "Feb 1, 2011"]);
    expect(shown("hire_month", firsts, "en-US")).toEqual(["Apr 2013", "Feb 2011"]);
    expect(shown("month", ["2013-04-01", "2013-04-15"], "en-US")).toEqual(["Apr 1, 2013", "Apr 15, 2013"]);
  });

  it.each([[["2024-02-31"]], [["2024-03-01", "soon"]], [["2024-03", "2024-03-01"]], [["20240301"]], [["2024-03-01T25:00"]]])(
    "is none where one of %o is no date",
    (values) => expect(shown("at", values, "de")).toEqual(values),
  );

  it("is found by what is shown and by what is stored", () => {
    const text = dateText("2024-03-01", "day", "en-US");
    expect(["Mar 1", "2024-03-01", "=mar 1, 2024"].map((filter) => matches("2024-03-01", filter, text))).toEqual([true, true, true]);
    expect(matches("2024-03-01", "!Mar 1, 2024", text)).toBe(false);
  });
});

describe("months and years", () => {
  const table = (comment: string): Table => ({ name: "t", columns: [{ name: "p", type: "INTEGER", comment }] }) as never;

  it.each([
    [["month"], "", "month"],
    [["order_month"], "", "month"],
    [["saleMonth"], "", "month"],
    [["monat_nr"], "", "month"],
    [["orders_per_month"], "", undefined],
    [["months"], "", undefined],
    [["month_count"], "", undefined],
    [["m"], "SELECT EXTRACT(MONTH FROM ordered_at) AS m FROM t", "month"],
    [["m", "n"], "WITH a AS (SELECT 1, 2, 3) SELECT CAST(STRFTIME('%m', d) AS INTEGER) AS m, COUNT(*) AS n FROM a", "month"],
    [["m"], "SELECT DATEPART(month, d) AS m FROM t", "month"],
    [["m"], "SELECT DATE_TRUNC('month', d) AS m FROM t", "month"],
    [["m"], "SELECT CAST(DATE_TRUNC('MONTH', d) AS DATE) AS m FROM t", "month"],
    [["m"], "SELECT DATE_TRUNC(d, MONTH) AS m FROM t", "month"],
    [["m"], "SELECT TRUNC(d, 'MM') AS m FROM t", "month"],
    [["m"], "SELECT DATE(d, 'start of month') AS m FROM t", "month"],
    [["m"], "SELECT STRFTIME('%Y-%m-01', d) AS m FROM t", "month"],
    [["m"], "SELECT DATETRUNC(month, d) AS m FROM t", "month"],
    [["m"], "SELECT DATEFROMPARTS(YEAR(d), MONTH(d), 1) AS m FROM t", "month"],
    [["m"], "SELECT toStartOfMonth(d) AS m FROM t", "month"],
    [["m"], "SELECT DATE_TRUNC('day', d) AS m FROM t", undefined],
    [["m"], "SELECT TRUNC(amount, 2) AS m FROM t", undefined],
    [["first"], "SELECT MIN(DATE_TRUNC('month', d)) AS first FROM t", undefined],
    [["month_start"], "", "month"],
    [["hired"], "SELECT hired FROM t", undefined],
    [["month"], "SELECT COUNT(*) AS month FROM t", undefined],
    [["m"], "SELECT MONTH(d) + 12 * n AS x, 1 AS m FROM t", undefined],
    [["y"], "SELECT YEAR(d) AS y FROM t", "year"],
    [["y"], "SELECT EXTRACT(YEAR FROM d) AS y FROM t", "year"],
    [["fiscal_year"], "", "year"],
  ])("%o of %s: %s", (columns, sql, meaning) => expect(meanings(columns, sql)[columns[0] as string]).toBe(meaning));

  it("are told by what is written about a column", () => {
    expect(meanings(["p"], "", [table("Month of the year, 1 to 12")])).toEqual({ p: "month" });
    expect(meanings(["p"], "", [table("Revenue of the month")])).toEqual({});
  });

  it("have names where they are 1 to 12, and no marks", () => {
    expect(shown("month", [1, 12, null], "de")).toEqual(["Januar", "Dezember", ""]);
    expect(shown("month", ["03"], "en")).toEqual(["March"]);
    expect(shown("month", [0, 13], "en")).toEqual(["0", "13"]);
    expect(cell(2024, columnFormat("y", [2024], "year"), "en")).toBe("2024");
    expect(["orderYear", "customerId", "order_id", "idle_minutes"].map(isGrouped)).toEqual([false, false, false, true]);
    const number = { text: "3", start: 0, end: 1, source: "result", row: 0, column: "m", expression: "" } as const;
    expect(isFigure(number, { results: [{ m: 3 }], raw_results: [], parts: [] }, { m: "month" })).toBe(false);
  });
});

describe("dates of a sentence", () => {
  it("are written as in the table, and never cut", () => {
    const number = { text: "01", start: 11, end: 13, source: "result", row: 0, column: "d", expression: "" } as const;
    const text = "On 2024-03-01 it was 5.";
    expect(pieces(text, [number]).map((piece) => piece.text)).toEqual([text]);
    expect(withDates(text, new Map([["2024-03-01", "Mar 2024"]]))).toBe("On Mar 2024 it was 5.");
    expect(withDates("From 2024-10, order 1-2024-03-01.", new Map())).toBe("From 2024-10, order 1-2024-03-01.");
    expect(momentOf(["2024-13-01"])).toBeNull();
  });
});

describe("a chart for its reader", () => {
  const channel = (spec: Record<string, unknown>, name: string) => (spec.encoding as Record<string, object>)[name];
  const rows = [{ m: 3, "a.b": 2024, d: "2024-03-01", n: 1 }];
  const formats = { utcyearmonthdate: "%d.%m.%Y" };

  it("has months by their names, in the calendar's order", () => {
    const found = readable({ encoding: { x: { field: "m", type: "quantitative" } } }, rows, { m: "month" }, formats);
    expect(found.rows).toEqual([{ ...rows[0], m: dateText(3, "monthOfYear") }]);
    expect(channel(found.spec, "x")).toMatchObject({ type: "ordinal", sort: Array.from({ length: 12 }, (_, i) => dateText(i + 1, "monthOfYear")) });
  });

  it("has years without marks, and dates in the reader's order", () => {
    const encoding = { x: { field: "d", timeUnit: "utcyearmonthdate" }, y: { field: "a\\.b", type: "quantitative" } };
    const { spec } = readable({ encoding }, rows, { "a.b": "year" }, formats);
    expect(channel(spec, "x")).toMatchObject({ axis: { format: "%d.%m.%Y" } });
    expect(channel(spec, "y")).toMatchObject({ axis: { format: "d" } });
  });

  it("has months where the table has them, and days elsewhere", () => {
    const unit = (timeUnit: string, named: Meanings) =>
      channel(readable({ encoding: { x: { field: "d", timeUnit } } }, rows, named, formats).spec, "x");
    expect(unit("utcyearmonth", {})).toMatchObject({ timeUnit: "utcyearmonthdate", axis: { format: "%d.%m.%Y" } });
    expect(unit("utcyearmonthdate", { d: "month" })).toMatchObject({ timeUnit: "utcyearmonth" });
    expect(unit("utcyear", {})).toMatchObject({ timeUnit: "utcyear" });
  });
});
