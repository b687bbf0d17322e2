// A chart that the reader changed: its mark and columns, as Vega-Lite.
import type { Row } from "../api/types";
import type { Meanings } from "./meaning";
import { isGrouped } from "./format";
import { dateText, momentOf } from "./moments";

export const MARKS = ["bar", "line", "area", "point"] as const;
export type Mark = (typeof MARKS)[number];

export interface Wish {
  mark: Mark;
  x: string;
  y: string;
  color: string;
}

const DATE = /^\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}.*)?$/;

type Kind = "quantitative" | "temporal" | "nominal";

/** The kind of a column, from its values. */
export function kindOf(column: string, rows: Row[]): Kind {
  const values = rows.map((row) => row[column]).filter((value) => value !== null && value !== undefined);
  if (values.length && values.every((value) => typeof value === "number")) return "quantitative";
  if (values.length && values.every((value) => typeof value === "string" && DATE.test(value))) return "temporal";
  return "nominal";
}

const DAY = /^\d{4}-\d{2}(-\d{2})?([T ]00:00(:00(\.0+)?)?)?$/;

/** The unit of times without a clock. In UTC: elsewhere, the first of a month is the last of another. */
function unitOf(column: string, rows: Row[], named: Meanings): { timeUnit?: string } {
  const values = rows.map((row) => row[column]).filter((value) => typeof value === "string");
  if (momentOf(values, named[column]) === "month") return { timeUnit: "utcyearmonth" };
  return values.every((value) => DAY.test(value)) ? { timeUnit: "utcyearmonthdate" } : {};
}

/** Escapes dots and brackets in a column's name, which Vega reads as a path. */
export function field(name: string): string {
  return name.replace(/[\\.[\]'"]/g, "\\$&");
}

export function specOf(wish: Wish, rows: Row[], named: Meanings = {}): Record<string, unknown> {
  const channel = (column: string) => {
    const kind = kindOf(column, rows);
    const sort = kind === "nominal" ? { sort: null } : {}; // as the rows have it
    const unit = kind === "temporal" ? unitOf(column, rows, named) : {};
    const plain = kind === "quantitative" && !isGrouped(column) ? { axis: { format: "d" } } : {};
    return { field: field(column), type: kind, title: column.replaceAll("_", " "), ...sort, ...unit, ...plain };
  };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    data: { name: "results" },
    mark: { type: wish.mark, tooltip: true, ...(wish.mark === "line" ? { point: true } : {}) },
    encoding: {
      x: channel(wish.x),
      y: channel(wish.y),
      ...(wish.color ? { color: channel(wish.color) } : {}),
    },
  };
}

/** A default chart if none was suggested: the first column of names, the last of amounts. */
export function firstWish(columns: string[], rows: Row[]): Wish | null {
  const measures = columns.filter((column) => kindOf(column, rows) === "quantitative");
  const y = measures.at(-1);
  const x = columns.find((column) => column !== y);
  if (!x || !y || rows.length < 2) return null;
  return { mark: kindOf(x, rows) === "temporal" ? "line" : "bar", x, y, color: "" };
}

interface Joined {
  as: string;
  columns: string[];
}

/** Rows with the column that a chart joins of two others, such as a person's names. */
export function withJoined(spec: Record<string, unknown> | null, rows: Row[]): Row[] {
  const joined = (spec?.usermeta as { joined?: Joined } | undefined)?.joined;
  if (!joined) return rows;
  return rows.map((row) => ({ ...row, [joined.as]: joined.columns.map((column) => row[column]).join(" ") }));
}

export type Channel = Record<string, unknown> & { field?: string; title?: string; type?: string; timeUnit?: string; axis?: object | null };

/** A chart with months by their names, years without marks, and dates as `formats` has them, by their unit. */
export function readable(
  spec: Record<string, unknown>,
  rows: Row[],
  named: Meanings,
  formats: Record<string, string>,
): { spec: Record<string, unknown>; rows: Row[] } {
  const months = Object.keys(named).filter(
    (column) => named[column] === "month" && momentOf(rows.map((row) => row[column]), "month") === "monthOfYear",
  );
  const columnOf = (channel: Channel) => Object.keys(rows[0] ?? {}).find((column) => field(column) === channel.field) ?? "";
  const encoding = Object.fromEntries(
    Object.entries((spec.encoding ?? {}) as Record<string, Channel>).map(([name, channel]) => {
      const column = columnOf(channel);
      if (months.includes(column)) {
        const { scale: _, axis: __, ...kept } = channel;
        return [name, { ...kept, type: "ordinal", sort: channel.sort || monthNames() }];
      }
      const positional = name === "x" || name === "y";
      if (positional && named[column] === "year" && channel.type === "quantitative")
        return [name, { ...channel, axis: { ...channel.axis, format: "d", tickMinStep: 1 } }];
      const told = channel.timeUnit?.startsWith("utcyearmonth") && column ? { ...channel, ...unitOf(column, rows, named) } : channel;
      const format = formats[told.timeUnit ?? ""];
      return [name, positional && format ? { ...told, axis: { ...told.axis, format } } : told];
    }),
  );
  const shown = rows.map((row) => {
    const changes = months.filter((column) => row[column] != null);
    if (!changes.length) return row;
    return { ...row, ...Object.fromEntries(changes.map((column) => [column, dateText(Number(row[column]), "monthOfYear")])) };
  });
  return { spec: { ...spec, encoding }, rows: shown };
}

function monthNames(): string[] {
  return Array.from({ length: 12 }, (_, at) => dateText(at + 1, "monthOfYear"));
}
