// The sentence of an answer cut into text and numbers, each number with where it comes from.
import type { Answer } from "../api/types";

export type AnswerNumber = Answer["numbers"][number];
export type Piece = { text: string; number: AnswerNumber | null };

/** The pieces of an answer in order; joined, their texts are the answer. Offsets count characters, not UTF-16 units. */
export function pieces(answer: string, numbers: AnswerNumber[]): Piece[] {
  const characters = [...answer];
  const found: Piece[] = [];
  let at = 0;
  for (const number of [...numbers].sort((a, b) => a.start - b.start)) {
    if (number.start < at || number.end > characters.length) continue;
    if (number.start > at) found.push({ text: characters.slice(at, number.start).join(""), number: null });
    found.push({ text: characters.slice(number.start, number.end).join(""), number });
    at = number.end;
  }
  if (at < characters.length) found.push({ text: characters.slice(at).join(""), number: null });
  return found;
}

/** Where a number comes from, in words. */
export function origin(number: AnswerNumber): string {
  const place = number.row == null ? "" : `row ${number.row + 1}, ${number.column}`;
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
