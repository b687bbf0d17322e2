// Dates, months and times in the reader's language. A text keeps its own time zone: it is
// never converted to the reader's.
import type { Meaning } from "./meaning";

/** `month`: of a year. `monthOfYear`: 1 to 12. `time`: a day and a clock. */
export type Moment = "day" | "month" | "monthOfYear" | "minutes" | "seconds" | "fractions";

const ISO = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const IN_TEXT = /(?<![\d-])\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?)?(?![\d-])/g;

interface Parsed {
  at: number; // as if it were UTC
  day: string | undefined;
  clock: boolean; // whether it says more than midnight
  seconds: boolean;
  fraction: boolean;
  zone: string;
}

function parsed(text: string): Parsed | null {
  const found = ISO.exec(text);
  if (!found) return null;
  const [, year, month, day, hours = "0", minutes = "0", seconds = "0", fraction = "", zone = ""] = found;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day ?? 1), Number(hours), Number(minutes), Number(seconds)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day ?? 1)); // years before 100 are not of the last century
  const real = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day ?? 1);
  if (!real || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const rest = Number(fraction || "0");
  return {
    at: date.getTime() + Math.trunc(rest * 1000),
    day,
    clock: Number(hours) + Number(minutes) + Number(seconds) + rest > 0 || zone !== "",
    seconds: Number(seconds) > 0,
    fraction: rest > 0,
    zone: zone === "Z" ? "UTC" : zone,
  };
}

/** The kind of moment of all values of a column; null unless all are dates. */
export function momentOf(values: unknown[], meaning?: Meaning): Moment | null {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (!known.length) return null;
  if (meaning === "month" && known.every(isMonthNumber)) return "monthOfYear";
  if (!known.every((value) => typeof value === "string")) return null;
  const dates = known.map(parsed);
  if (!dates.every((date) => date !== null)) return null;
  if (dates.every((date) => !date.day)) return "month";
  if (!dates.every((date) => date.day)) return null;
  if (dates.every((date) => !date.clock))
    return meaning === "month" && dates.every((date) => date.day === "01") ? "month" : "day"; // as `date_trunc` gives months
  if (dates.some((date) => date.fraction)) return "fractions";
  return dates.some((date) => date.seconds) ? "seconds" : "minutes";
}

function isMonthNumber(value: unknown): boolean {
  const number = typeof value === "string" && /^\d{1,2}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 1 && number <= 12;
}

const CLOCK = { hour: "2-digit", minute: "2-digit" } as const;
const DAY = { year: "numeric", month: "short", day: "numeric" } as const;
const PARTS: Record<Moment, Intl.DateTimeFormatOptions> = {
  day: { dateStyle: "medium" },
  month: { year: "numeric", month: "short" },
  monthOfYear: { month: "long" },
  minutes: { ...DAY, ...CLOCK },
  seconds: { ...DAY, ...CLOCK, second: "2-digit" },
  fractions: { ...DAY, ...CLOCK, second: "2-digit", fractionalSecondDigits: 3 },
};
const FORMATS = new Map<string, Intl.DateTimeFormat>();

export function dateFormat(moment: Moment, language?: string): Intl.DateTimeFormat {
  const key = `${moment} ${language ?? ""}`;
  let found = FORMATS.get(key);
  if (!found) FORMATS.set(key, (found = new Intl.DateTimeFormat(language, { ...PARTS[moment], timeZone: "UTC" })));
  return found;
}

/** A value of a column of that moment, in a language; the reader's own where none is given. */
export function dateText(value: string | number, moment: Moment, language?: string): string {
  if (moment === "monthOfYear") return dateFormat(moment, language).format(Date.UTC(2024, Number(value) - 1, 1));
  const date = parsed(String(value));
  if (!date) return String(value);
  const text = dateFormat(moment, language).format(date.at);
  return date.zone ? `${text} ${date.zone}` : text;
}

/** A sentence with dates in the reader's format in place of ISO's. `known`: those of the rows, as the table shows them. */
export function withDates(text: string, known: Map<string, string>): string {
  return text.replace(IN_TEXT, (iso) => {
    const shown = known.get(iso);
    if (shown) return shown;
    const moment = iso.length > 7 ? momentOf([iso]) : null; // `2024-10` may be a number of something
    return moment ? dateText(iso, moment) : iso;
  });
}

/** Where in a text dates stand that `withDates` may replace, by UTF-16 units. */
export function dateSpans(text: string): [number, number][] {
  return [...text.matchAll(IN_TEXT)].map((found) => [found.index, found.index + found[0].length]);
}
