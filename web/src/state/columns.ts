// What the numbers of a column are, by its query, its docs and its name: months and years are no amounts.
import type { Answer, AnswerPart, Table } from "../api/types";
import { numeralOf } from "./format";
import type { Meanings, Named } from "./meaning";

const WORDS: Record<Named, string> = {
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
const EXPRESSION: Record<Named, RegExp> = {
  month: OF_DATE("MONTH", "month|mm|m", "(%m|MM)"),
  year: OF_DATE("YEAR", "year|yyyy|yy", "(%Y|YYYY)"),
};

// Full dates that stand for months: the first day of each.
const START_OF_MONTH = new RegExp(
  "^(DATE\\s*\\(\\s*)?(DATE_?TRUNC\\s*\\(\\s*'?MONTH'?\\s*,|(DATE_?|TIMESTAMP_|DATETIME_)?TRUNC\\s*\\(.*,\\s*'?(MONTH|MON|MM)'?\\s*\\)|" +
    "(STRFTIME|TO_CHAR|DATE_FORMAT|FORMAT)\\s*\\(.*'(%Y-%m|YYYY-MM)-01'|DATE\\s*\\(.*'start of month'|toStartOfMonth\\s*\\(|" +
    "DATEFROMPARTS\\s*\\(.*,\\s*1\\s*\\)|DATEADD\\s*\\(\\s*MONTH\\s*,\\s*DATEDIFF\\s*\\(\\s*MONTH\\s*,\\s*0\\s*,.*,\\s*0\\s*\\))",
  "is",
);

/** Which columns of a result are months, years or hundredths. `tables`: with the types and comments of their columns. */
export function meanings(columns: string[], sql = "", tables: Table[] = []): Meanings {
  const items = selected(sql);
  return ofItems(columns, items.length === columns.length ? items : [], tables);
}

/** `meanings` of records: their columns are those of the tables. */
export function meaningsOfRecords(columns: string[], tables: Table[]): Meanings {
  return ofItems(columns, columns, tables);
}

/** `items`: what the query computes each column by; none where that is not known. */
function ofItems(columns: string[], items: string[], tables: Table[]): Meanings {
  const found: Meanings = {};
  columns.forEach((column, at) => {
    const item = items[at] ?? "";
    const meaning = meaningOf(column, item, tables) ?? (isStoredInHundredths(item, tables) ? "hundredths" : undefined);
    if (meaning) found[column] = meaning;
  });
  return found;
}

/** `meanings` of an answer, whose sentence says more: what it writes with two decimals has them in the table, too. */
export function meaningsOf(answer: Answer, tables: Table[] = []): Meanings {
  const found = meanings(answer.columns, answer.sql ?? "", tables);
  for (const { source, part, row, column, text, expression } of answer.numbers) {
    const end = source === "calculation" ? EXTREME.exec(expression)?.[1] : undefined; // the highest is a cell, too
    const of = source === "result" ? column : end;
    if (part != null || !of || found[of]) continue;
    const numeral = numeralOf(text, answer.language);
    // A rounded number does not show its column's format.
    const cells = row == null ? answer.results : answer.results.slice(row, row + 1);
    if (numeral?.format.decimals === 2 && cells.some((one) => one[of] === numeral.value)) found[of] = "hundredths";
  }
  return found;
}

/** One query of several as an answer of its own, with those numbers of the sentence that come from it. */
export function answerOfPart(whole: Answer, part: AnswerPart): Answer {
  const numbers = whole.numbers.filter((one) => one.part === part.number).map((one) => ({ ...one, part: null }));
  return { ...whole, ...part, numbers, kind: "query", parts: [], choices: [], warnings: [] };
}

const EXTREME = /^(?:max|min)\((.+)\)$/;
const CELL = /^(?:(?:SUM|MIN|MAX)\s*\(\s*)?(?:["`[]?\w+["`\]]?\.)*["`[]?(\w+)["`\]]?\s*\)?$/i;
const TWO_DECIMALS = /^(DECIMAL|NUMERIC|NUMBER)\s*\(\s*\d+\s*,\s*2\s*\)/i;

/** Whether an item is a column, or a sum or an end of one, whose type has two decimals wherever the column is. */
function isStoredInHundredths(item: string, tables: Table[]): boolean {
  const name = CELL.exec(item.replace(/\s+AS\s+\S+$/i, ""))?.[1]?.toLowerCase();
  const types = tables.flatMap((table) => table.columns.filter((one) => one.name.toLowerCase() === name).map((one) => one.type));
  return types.length > 0 && types.every((type) => TWO_DECIMALS.test(type));
}

function meaningOf(column: string, item: string, tables: Table[]): Named | undefined {
  const expression = item.replace(/\s+AS\s+\S+$/i, "").replace(/^CAST\s*\(\s*/i, "");
  if (AGGREGATE.test(expression)) return undefined;
  const name = column.replace(CAMEL, "$1_");
  const comments = tables.flatMap((table) => table.columns.filter((one) => one.name === column).map((one) => one.comment ?? ""));
  return (["month", "year"] as const).find((meaning) => {
    if (EXPRESSION[meaning].test(expression) || (meaning === "month" && START_OF_MONTH.test(expression))) return true;
    const named = new RegExp(`(^|[_\\W])(${WORDS[meaning]})([_\\W]?(no|nr|num|number|of_year|start))?$`, "i");
    if (named.test(name)) return !AMOUNT.test(name);
    return comments.some((comment) => new RegExp(`^\\W*(the\\s+)?(calendar\\s+)?(${WORDS[meaning]})\\b(?!s)`, "i").test(comment));
  });
}

/** The items of the query's outermost list, in order; empty if they are unknown. */
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
