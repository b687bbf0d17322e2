// Filters of a column: `>10`, `<= 5`, `=C`, `!X`, an empty `=` for NULL, or a part of the text.
import { BARE, cell } from "./format";

const ORDER = /^(<=|>=|<|>)\s*(-?[\d.,]+)$/;

/** `shown`: as the table writes the value. */
export function matches(value: unknown, filter: string, shown = cell(value)): boolean {
  const wanted = filter.trim();
  const order = ORDER.exec(wanted);
  if (order?.[1] && order[2]) {
    const limit = Number(order[2].replaceAll(",", ""));
    const number = typeof value === "number" ? value : Number(value);
    if (value === null || value === "" || Number.isNaN(number) || Number.isNaN(limit)) return false;
    if (order[1] === "<") return number < limit;
    if (order[1] === "<=") return number <= limit;
    return order[1] === ">" ? number > limit : number >= limit;
  }
  const text = [shown, cell(value), cell(value, BARE)].map((one) => one.toLowerCase());
  const part = wanted.replace(/^[=!]\s*/, "").toLowerCase();
  if (wanted.startsWith("=")) return text.includes(part);
  if (wanted.startsWith("!")) return !text.includes(part);
  return text.some((shown) => shown.includes(part));
}

/** NULL comes last in both directions; numbers sort by size, all else alphabetically. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return COLLATOR.compare(cell(a, BARE), cell(b, BARE));
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
