// A chart in words, for its caption and for readers who cannot see it: its numbers and dates as the table has them.
import type { Row } from "../api/types";
import { type Channel, field, withJoined } from "./chart";
import { isName, type Meanings } from "./meaning";
import { cell, type ColumnFormat, columnFormat, plural } from "./format";

const LONG = 60;
const KINDS: Record<string, string> = { bar: "Bar chart", line: "Line chart", area: "Area chart", point: "Scatter plot" };

interface Drawn {
  column: string;
  words: string;
  values: unknown[];
  format: ColumnFormat;
  /** Whether it is an amount, not a name, a date or a year. */
  amount: boolean;
  /** Whether its values have a natural order, as years and dates do. */
  time: boolean;
}

/** "Line chart of revenue for each month from Jan 2024 to Mar 2024: 3 values; the highest is …".
 *
 * spec: Vega-Lite, as the service or `specOf` makes it. language: the reader's own where none is given. */
export function describe(
  spec: Record<string, unknown> | null,
  stored: string[],
  given: Row[],
  named: Meanings,
  language?: string,
): string {
  const rows = withJoined(spec, given);
  const columns = [...new Set([...stored, ...Object.keys(rows[0] ?? {})])];
  const encoding = (spec?.encoding ?? {}) as Record<string, Channel>;
  const { x, y, color } = encoding;
  const channels = (["x", "y", "color"] as const).flatMap((name): Channel[] => (encoding[name] ? [encoding[name]] : []));
  const drawn = channels.flatMap((channel) => drawnOf(channel, columns, rows, named) ?? []);
  const unique = drawn.filter((one, at) => drawn.findIndex((other) => other.column === one.column) === at);
  const amounts = unique.filter((one) => one.amount && one.column !== columnOf(color, columns));
  const kind = kindOf(spec?.mark, x, y, encoding);
  if (!amounts.length) return `${kind} of ${unique.map((one) => one.words).join(" and ") || "the rows"}: ${plural(rows.length, "row")}.`;
  const keys = unique.filter((one) => !amounts.includes(one));
  return amounts.length > 1 || !keys.length
    ? describeAmounts(kind, amounts, rows.length, language)
    : describeKeyed(kind, amounts[0] as Drawn, keys, language);
}

function describeKeyed(kind: string, amount: Drawn, keys: Drawn[], language?: string): string {
  const numbers = amount.values.flatMap((value, row) => (typeof value === "number" ? [{ value, row }] : []));
  const high = numbers.reduce((one, other) => (other.value > one.value ? other : one));
  const low = numbers.reduce((one, other) => (other.value < one.value ? other : one));
  const at = (row: number) => keys.map((key) => text(key.values[row], key.format, language)).join(", ");
  const shown = ({ value, row }: { value: number; row: number }) => `${text(value, amount.format, language)} (${at(row)})`;
  return (
    `${kind} of ${amount.words} for each ${keys.map((key) => key.words).join(" and ")}${spanOf(keys, language)}: ` +
    `${plural(numbers.length, "value")}; the highest is ${shown(high)}, the lowest ${shown(low)}.`
  );
}

function describeAmounts(kind: string, amounts: Drawn[], rows: number, language?: string): string {
  const ranges = amounts.map((one) => {
    const numbers = one.values.filter((value) => typeof value === "number");
    const ends = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))];
    const [low, high] = ends.map((value) => text(value, one.format, language));
    return `${one.words} from ${low} to ${high}`;
  });
  return `${kind} of ${amounts.map((one) => one.words).join(" and ")}: ${plural(rows, "row")}; ${ranges.join(", ")}.`;
}

/** The time range of a chart over time. */
function spanOf(keys: Drawn[], language?: string): string {
  const time = keys.find((key) => key.time);
  const known = (time?.values ?? []).filter((value) => value !== null && value !== undefined) as (string | number)[];
  if (!time || !known.length) return "";
  const ordered = [...known].sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1));
  return ` from ${text(ordered[0], time.format, language)} to ${text(ordered.at(-1), time.format, language)}`;
}

function drawnOf(channel: Channel, columns: string[], rows: Row[], named: Meanings): Drawn | null {
  const column = columnOf(channel, columns);
  if (column === undefined) return null;
  const values = rows.map((row) => row[column]);
  const meaning = named[column];
  const format = columnFormat(column, values, meaning);
  const known = values.filter((value) => value !== null && value !== undefined);
  return {
    column,
    words: (channel.title ?? column).replace(/[_\\]/g, " ").trim() || "value",
    values,
    format,
    amount: !isName(meaning) && known.length > 0 && known.every((value) => typeof value === "number") && channel.type === "quantitative",
    time: Boolean(format.moment) || isName(meaning),
  };
}

function columnOf(channel: Channel | undefined, columns: string[]): string | undefined {
  return columns.find((column) => field(column) === channel?.field);
}

function kindOf(mark: unknown, x: Channel | undefined, y: Channel | undefined, encoding: Record<string, Channel>): string {
  const type = typeof mark === "string" ? mark : String((mark as { type?: string } | undefined)?.type ?? "");
  if (x?.bin) return "Histogram";
  if (type === "bar" && encoding.xOffset) return "Grouped bar chart";
  if (type === "bar" && (x?.stack ?? y?.stack)) return "Stacked bar chart";
  return KINDS[type] ?? "Chart";
}

function text(value: unknown, format: ColumnFormat, language?: string): string {
  if (value === null || value === undefined) return "no value";
  const whole = cell(value, format, language);
  return whole.length > LONG ? `${whole.slice(0, LONG - 1)}…` : whole;
}
