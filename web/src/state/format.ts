// Values as people read them.
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const COUNT = new Intl.NumberFormat();

export function count(value: number): string {
  return COUNT.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A cell as text. Numbers are grouped, but those of columns that name something (years, ids) stay as they are. */
export function cell(value: unknown, grouped = true): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return grouped ? NUMBER.format(value) : String(value);
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

const NAMING = /(^|_)(id|key|code|no|nr|year|jahr|month|day|zip|phone)($|_)/i;

/** Whether a column's numbers are amounts, by its name. */
export function isGrouped(column: string): boolean {
  return !NAMING.test(column);
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** How long something is kept: in days, hours or minutes, of which it is one at least. */
export function span(seconds: number): string {
  for (const [unit, size] of [["day", 86_400], ["hour", 3_600]] as const)
    if (seconds >= size) return plural(Math.round(seconds / size), unit);
  return plural(Math.max(1, Math.round(seconds / 60)), "minute");
}

export function cost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return "price not set";
  if (usd === 0) return "no cost";
  return `$${usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(3)}`;
}

export function when(iso: string): string {
  const date = new Date(iso);
  const today = new Date().toDateString() === date.toDateString();
  return today
    ? date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}
