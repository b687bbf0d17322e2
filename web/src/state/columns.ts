// What the numbers of a column name, by its query, its docs and its name: months and years are no amounts.
import type { Table } from "../api/types";

export type Meaning = "year" | "month";
export type Meanings = Record<string, Meaning>;

const WORDS: Record<Meaning, string> = {
  month: "month|monat|mois|mes|mese|mês|maand",
  year: "year|yr|fy|jahr|ann[eé]e|a[nñ]o|anno|jaar",
};
const CAMEL = /([a-z])(?=[A-Z])/g;
const AMOUNT = /(^|[_\W])(per|pro|por|par|each|count|sum|total|avg|average|number_of|n)([_\W]|$)/i;
const AGGREGATE = /^(COUNT|SUM|AVG|MIN|MAX|STDDEV\w*|VAR\w*)\s*\(/i;
const OF_DATE = (part: string, short: string, format: string): RegExp =>
  new RegExp(
    `^(EXTRACT\\s*\\(\\s*${part}\\s+FROM|${part}\\s*\\(|DATE_?PART\\s*\\(\\s*'?(${short})'?\\s*,|` +
      `(STRFTIME|TO_CHAR|DATE_FORMAT|FORMAT)\\s*\\(.*'${format}'|TO(MONTH|YEAR)\\s*\\(\\b)`,
    "is",
  );
const EXPRESSION: Record<Meaning, RegExp> = {
  month: OF_DATE("MONTH", "month|mm|m", "(%m|MM)"),
  year: OF_DATE("YEAR", "year|yyyy|yy", "(%Y|YYYY)"),
};

/** Which columns of a result are months or years. `tables`: with the comments of their columns. */
export function meanings(columns: string[], sql = "", tables: Table[] = []): Meanings {
  const items = selected(sql);
  const found: Meanings = {};
  columns.forEach((column, at) => {
    const item = items.length === columns.length ? (items[at] ?? "") : "";
    const meaning = meaningOf(column, item, tables);
    if (meaning) found[column] = meaning;
  });
  return found;
}

function meaningOf(column: string, item: string, tables: Table[]): Meaning | undefined {
  const expression = item.replace(/\s+AS\s+\S+$/i, "").replace(/^CAST\s*\(\s*/i, "");
  if (AGGREGATE.test(expression)) return undefined;
  const name = column.replace(CAMEL, "$1_");
  const comments = tables.flatMap((table) => table.columns.filter((one) => one.name === column).map((one) => one.comment ?? ""));
  return (["month", "year"] as const).find((meaning) => {
    if (EXPRESSION[meaning].test(expression)) return true;
    const named = new RegExp(`(^|[_\\W])(${WORDS[meaning]})([_\\W]?(no|nr|num|number|of_year))?$`, "i");
    if (named.test(name)) return !AMOUNT.test(name);
    return comments.some((comment) => new RegExp(`^\\W*(the\\s+)?(calendar\\s+)?(${WORDS[meaning]})\\b(?!s)`, "i").test(comment));
  });
}

/** The items of the query's outermost list, in their order; none where it cannot be told. */
function selected(sql: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let from = -1;
  for (const { 0: token, index } of sql.matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[(),]|\b(?:SELECT|FROM|UNION)\b/gi)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    else if (depth || /^['"]/.test(token)) continue;
    else if (/^select$/i.test(token)) from = index + token.length;
    else if (from < 0) continue;
    else {
      items.push(sql.slice(from, index).trim());
      if (token !== ",") return items;
      from = index + 1;
    }
  }
  return [];
}
