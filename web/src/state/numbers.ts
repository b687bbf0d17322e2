// The sentence of an answer cut into text and numbers, each number with where it comes from.
import type { Answer } from "../api/types";
import { isName, type Meanings } from "./meaning";
import { dateSpans } from "./moments";

export type AnswerNumber = Answer["numbers"][number];
export type Piece = { text: string; number: AnswerNumber | null };

/** The pieces of an answer in order; joined, their texts are the answer. Offsets count characters, not UTF-16 units.
 * A date is never cut: its digits are no quantities. */
export function pieces(answer: string, numbers: AnswerNumber[]): Piece[] {
  const characters = [...answer];
  const found: Piece[] = [];
  const dates = dateSpans(answer).map((span) => span.map((unit) => [...answer.slice(0, unit)].length));
  let at = 0;
  for (const number of [...numbers].sort((a, b) => a.start - b.start)) {
    if (number.start < at || number.end > characters.length) continue;
    if (dates.some(([start = 0, end = 0]) => number.start < end && number.end > start)) continue;
    if (number.start > at) found.push({ text: characters.slice(at, number.start).join(""), number: null });
    found.push({ text: characters.slice(number.start, number.end).join(""), number });
    at = number.end;
  }
  if (at < characters.length) found.push({ text: characters.slice(at).join(""), number: null });
  return found;
}

const YEAR = /^[12]\d{3}$/;
const YEAR_NAME = /(^|[^a-z])(year|yr|fy|jahr|ann[eé]e|a[nñ]o|anno)([^a-z]|$)|[a-z]Year$/i;
const LETTER_OR_DATE = /\p{L}|^\d{4}-\d{2}/u;

/** Whether a number is a quantity that leads somewhere: no year, and no digits of a name or a date. */
export function isFigure(
  number: AnswerNumber,
  whole: Pick<Answer, "results" | "raw_results" | "parts">,
  named: Meanings = {},
): boolean {
  const answer = whole.parts.find((part) => part.number === number.part) ?? whole;
  switch (number.source) {
    case "question":
      return !YEAR.test(number.text);
    case "result":
    case "raw": {
      if (number.row == null || number.column == null) return false; // in a column's name
      const cell = (number.source === "raw" ? answer.raw_results : answer.results)[number.row]?.[number.column];
      if (typeof cell === "string") return !LETTER_OR_DATE.test(cell);
      if (number.source === "result" && answer === whole && isName(named[number.column])) return false;
      return !(YEAR.test(number.text) && YEAR_NAME.test(number.column));
    }
    default:
      return true;
  }
}

/** The source of a number, in words. */
export function origin(number: AnswerNumber): string {
  const of = number.part == null ? "" : ` of [${number.part}]`;
  const place = number.row == null ? "" : `row ${number.row + 1}, ${number.column}${of}`;
  switch (number.source) {
    case "result":
      return place ? `From ${place}` : "From a column name";
    case "raw":
      return place ? `From the source records: ${place}` : "From a column name of the source records";
    case "calculation":
      return number.expression ? `Computed: ${number.expression}` : "Computed from the rows";
    case "question":
      return "From the question";
    case "row count":
      return "Number of rows";
    case "position":
      return "Position in the list";
    case null:
      return "Not supported by the data";
  }
}
