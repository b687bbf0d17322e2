// An answer as Markdown, to be pasted into a chat, a ticket or a document.
import type { Answer } from "../api/types";
import { meaningsOf } from "./columns";
import { cell, columnFormats, count, plural } from "./format";

const SHARED_ROWS = 10;
// Characters with a meaning in Markdown; GitHub also links bare addresses.
const MARKS = /[\\`*_{}[\]<>|~#&!]|(?<=[ps]):(?=\/)|(?<=www)\.|(?<=[\w.+-])@(?=[\w.-])/gi;

/** The question, the sentence, the first ten rows, the query and a link to ask it again. */
export function markdownOf(answer: Answer, question: string, link: string): string {
  const sentence = answer.answer.split("\n").map(inline).join("\n");
  const parts = [`**${inline(question)}**`, sentence, tableOf(answer)];
  if (answer.sql) parts.push(fenced(answer.sql, "sql"));
  for (const part of answer.parts) {
    parts.push(`**${inline(`[${part.number}] ${part.question}`)}**`, tableOf({ ...answer, ...part }));
    if (part.sql) parts.push(fenced(part.sql, "sql"));
  }
  parts.push(`[Open in Plumbline](${link})`);
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function tableOf(answer: Answer): string {
  const { columns, results, row_count, language } = answer;
  if (!results.length) return "";
  // Dates stay in ISO format, as in the sentence: the recipient may read another language.
  const formats = columnFormats(columns, results, meaningsOf(answer)).map((format) => ({ ...format, moment: null }));
  const line = (cells: string[]) => `| ${cells.map(inline).join(" | ")} |`;
  const numeric = columns.map((column) => results.some((row) => typeof row[column] === "number"));
  const rows = results
    .slice(0, SHARED_ROWS)
    .map((row) => line(columns.map((column, at) => cell(row[column], formats[at], language))));
  const table = [line(columns), `| ${numeric.map((one) => (one ? "---:" : "---")).join(" | ")} |`, ...rows].join("\n");
  const more = row_count > rows.length ? `\n\n_The first ${count(rows.length)} of ${plural(row_count, "row")}._` : "";
  return table + more;
}

/** Text that stays on one line and in one cell. */
function inline(text: string): string {
  return text.replace(MARKS, "\\$&").replace(/\s+/g, " ");
}

/** A code block with a fence longer than any run of backticks in the code. */
function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}
