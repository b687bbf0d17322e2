// Formats values for readers.
import { isName, type Meaning, type Meanings } from "./meaning";
import type { Row } from "../api/types";
import { dateText, type Moment, momentOf } from "./moments";

const COUNT = new Intl.NumberFormat();

export function count(value: number): string {
  return COUNT.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** How a column is written: thousands marked or not, so many decimals that they stand aligned; `moment`: its dates. */
export interface ColumnFormat {
  grouped: boolean;
  decimals: number | null;
  moment?: Moment | null;
}

const MAX_DECIMALS = 6;
const MONEY_DECIMALS = 2;
const SMALL = 1e-6;
const LARGE = 1e21;

/** One or two decimals are written for all numbers of a column alike, two where they are `hundredths`;
 * `agent/checks/grounding/numbers/display.py` has the same rules. */
export function columnFormat(name: string, values: Iterable<unknown>, meaning?: Meaning): ColumnFormat {
  const known = [...values];
  const grouped = !isName(meaning) && isGrouped(name);
  const moment = momentOf(known, meaning);
  let decimals = meaning === "hundredths" ? MONEY_DECIMALS : 0;
  for (const value of known) {
    if (typeof value !== "number") continue;
    decimals = Math.max(decimals, decimalsOf(value));
    if (decimals > MONEY_DECIMALS) return { grouped, decimals: null, moment };
  }
  return { grouped, decimals, moment };
}

/** `columnFormat` of each column of rows. */
export function columnFormats(columns: readonly string[], rows: readonly Row[], named: Meanings): ColumnFormat[] {
  return columns.map((column) => columnFormat(column, rows.map((row) => row[column]), named[column]));
}

function decimalsOf(value: number): number {
  const text = String(Number(value.toFixed(MAX_DECIMALS))); // further ones are noise of binary fractions
  return text.includes("e") ? (Math.abs(value) < 1 ? MAX_DECIMALS : 0) : (text.split(".")[1] ?? "").length;
}

const FORMATS = new Map<string, Intl.NumberFormat>();

/** A number in the format of a language; default: the reader's. */
export function written(value: number, language: string | undefined, format: ColumnFormat): string {
  if (value !== 0 && (Math.abs(value) < SMALL || Math.abs(value) >= LARGE)) return String(value);
  const key = `${language ?? ""} ${format.grouped} ${format.decimals}`;
  let found = FORMATS.get(key);
  if (!found) {
    found = new Intl.NumberFormat(language, {
      minimumFractionDigits: format.decimals ?? 0,
      maximumFractionDigits: format.decimals ?? MAX_DECIMALS,
      useGrouping: format.grouped ? "always" : false,
    });
    FORMATS.set(key, found);
  }
  return found.format(value);
}

const NUMBER = /^(\D*?)(\d[\d.,'’\s]*\d|\d)(\D*)$/u;

interface Numeral {
  before: string;
  value: number;
  format: ColumnFormat;
  after: string;
}

/** Parses a number in a sentence of that language; null for any other text. */
export function numeralOf(text: string, language: string): Numeral | null {
  const [, before = "", digits = "", after = ""] = NUMBER.exec(text) ?? [];
  const marks = new Intl.NumberFormat(language, { useGrouping: "always" }).formatToParts(-12345.6);
  const mark = (type: string): string => marks.find((part) => part.type === type)?.value ?? "";
  const [whole = "", fraction = ""] = digits.split(mark("decimal"));
  const value = Number(`${whole.replaceAll(mark("group"), "")}.${fraction || "0"}`);
  const format = { grouped: whole.includes(mark("group")), decimals: fraction.length };
  // Only what is written just so in that language is a number of it: `1.234` may be anything elsewhere.
  if (digits === "" || written(value, language, format) !== digits) return null;
  return { before, value: /[-−]/.test(before) ? -value : value, format, after };
}

/** A number and how its column is written. */
export interface Cell {
  value: unknown;
  format: ColumnFormat;
}

const YEARS_END = 10_000;

/** A number that stands in a sentence, with the reader's marks in place of those of its language; any other text as it is.
 * `from`: the cell that it is, whose decimals it gets, unless it is rounded. Four digits may be a year, and stay as they are. */
export function localized(text: string, language: string, reader?: string, from?: Cell): string {
  const numeral = numeralOf(text, language);
  if (!numeral) return text;
  const { before, value, after } = numeral;
  let { format } = numeral;
  if (from && from.value === value) {
    const grouped = format.grouped || (from.format.grouped && Math.abs(value) >= YEARS_END);
    format = { grouped, decimals: from.format.decimals };
  }
  return before + written(Math.abs(value), reader, format) + after;
}

// An ISO 8601 duration with a time of day: `P1DT2H3M4.5S`. Months differ in length, and `P5D` may be a code.
const DURATION = /^(-?)P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/;
const UNITS_OF_TIME: readonly [string, number][] = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
const MINUTE = 60;

/** An ISO 8601 duration of hours, minutes and seconds, with the symbols of its units; null for any other text. From a minute on,
 * seconds are rounded to whole ones. */
export function durationText(text: string, language?: string): string | null {
  const [, sign = "", ...digits] = DURATION.exec(text) ?? [];
  if (!digits.some(Boolean)) return null;
  const seconds = UNITS_OF_TIME.reduce((sum, [, size], place) => sum + Number(digits[place] ?? 0) * size, 0);
  let rest = seconds >= MINUTE ? Math.round(seconds) : seconds;
  const parts: string[] = [];
  for (const [symbol, size] of UNITS_OF_TIME) {
    const amount = size === 1 ? rest : Math.floor(rest / size);
    if (size !== 1) rest -= amount * size;
    if (amount) parts.push(`${written(amount, language, BARE)} ${symbol}`);
  }
  return parts.length ? sign + parts.join(" ") : "0 s";
}

const PLAIN: ColumnFormat = { grouped: true, decimals: null };
export const BARE: ColumnFormat = { grouped: false, decimals: null };

/** A cell as text. */
export function cell(value: unknown, format: ColumnFormat = PLAIN, language?: string): string {
  if (value === null || value === undefined) return "";
  if (format.moment && (typeof value === "string" || typeof value === "number")) return dateText(value, format.moment, language);
  if (typeof value === "number") return written(value, language, format);
  if (typeof value === "object") return JSON.stringify(value);
  return durationText(String(value), language) ?? String(value);
}

/** A probability in whole percent, from 1 to 99. */
export function percent(share: number): string {
  return `${Math.min(99, Math.max(1, Math.round(share * 100)))}%`;
}

const NAMING_CAMEL = /[a-z](Id|ID|Key|Code|No|Nr|Year|Month)$/;
const NAMING = /(^|_)(id|key|code|no|nr|year|yr|jahr|month|day|zip|phone)($|_)/i;

/** Whether a column's numbers are amounts, by its name. */
export function isGrouped(column: string): boolean {
  return !NAMING.test(column) && !NAMING_CAMEL.test(column);
}

export function duration(ms: number, language?: string): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${written(ms / 1000, language, { grouped: false, decimals: ms < 10_000 ? 1 : 0 })} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A duration in days, hours or minutes, at least one minute. */
export function span(seconds: number): string {
  for (const [unit, size] of [["day", 86_400], ["hour", 3_600]] as const)
    if (seconds >= size) return plural(Math.round(seconds / size), unit);
  return plural(Math.max(1, Math.round(seconds / 60)), "minute");
}

export function cost(usd: number | null | undefined, language?: string): string {
  if (usd === null || usd === undefined) return "cost unknown";
  if (usd === 0) return "$0.00";
  const digits =
    usd < 0.01
      ? { minimumSignificantDigits: 2, maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 3, maximumFractionDigits: 3 };
  return new Intl.NumberFormat(language, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", ...digits }).format(usd);
}

export function day(iso: string): string {
  return new Date(iso).toLocaleDateString(undefined, { dateStyle: "medium" });
}

export function when(iso: string): string {
  const date = new Date(iso);
  const today = new Date().toDateString() === date.toDateString();
  return today
    ? date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}
