// The sentence of an answer; each quantity shows its source and links to it.
import { useId, useMemo, useState } from "react";
import type { Answer, Table } from "../api/types";
import { answerOfPart, meaningsOf } from "../state/columns";
import type { Meanings } from "../state/meaning";
import { type Cell, cell, columnFormat, localized } from "../state/format";
import { withDates } from "../state/moments";
import { type AnswerNumber, isFigure, origin, pieces } from "../state/numbers";

interface Props {
  answer: Answer;
  /** Which columns of the rows are months or years. */
  named?: Meanings;
  /** The tables of the database, for the columns of its other queries. */
  tables?: Table[];
  onShow: (number: AnswerNumber) => void;
  /** Shows the records behind a row of the result; absent if rows have none. */
  onRecords?: ((row: number) => void) | undefined;
}

const NONE: Meanings = {};
const NO_TABLES: Table[] = [];
const CLOSING = /^[.,;:!?)\]}”’»%]*/u; // never begins a line

export function AnswerText({ answer, named = NONE, tables = NO_TABLES, onShow, onRecords }: Props) {
  const [open, setOpen] = useState<AnswerNumber | null>(null);
  const id = useId();
  const results = useMemo(() => resultsOf(answer, named, tables), [answer, named, tables]);
  const dates = useMemo(() => datesOf(results), [results]);
  const written = (text: string, number: AnswerNumber): string =>
    localized(text, answer.language, undefined, cellOf(number, results));
  const shown = pieces(answer.answer, answer.numbers).map((piece) => ({
    ...piece,
    figure: piece.number && isFigure(piece.number, answer, named) ? piece.number : null,
  }));
  const closing = (at: number): string => (shown[at]?.number ? "" : (CLOSING.exec(shown[at]?.text ?? "")?.[0] ?? ""));
  return (
    <>
      <p className="answer-text" dir="auto">
        {shown.map(({ text, figure }, at) =>
          figure ? (
            <span key={at} className="figure-place">
              <button
                type="button"
                dir="auto"
                className={`figure ${figure.source ? "" : "untraced"}`}
                title={origin(figure)}
                aria-expanded={open === figure}
                aria-controls={id}
                onClick={() => {
                  setOpen(open === figure ? null : figure);
                  if (figure.row != null || figure.source === "row count") onShow(figure);
                }}
              >
                {written(text, figure)}
              </button>
              {closing(at + 1)}
            </span>
          ) : (
            withDates(shown[at - 1]?.figure ? text.slice(closing(at).length) : text, dates)
          ),
        )}
      </p>
      <p id={id} role="status" className={open ? "figure-origin" : "sr-only"}>
        {open ? (
          <>
            <strong>{written(open.text, open)}</strong> {origin(open)}.
            {onRecords && open.source === "result" && open.row != null ? (
              <button type="button" className="button small quiet" onClick={() => onRecords(open.row ?? 0)}>
                Show source records
              </button>
            ) : null}
          </>
        ) : null}
      </p>
    </>
  );
}

/** The rows of one query, with the meaning of their columns. */
interface Result extends Pick<Answer, "columns" | "results"> {
  part: number | null;
  named: Meanings;
}

/** The results that numbers of the sentence come from: the answer's own, the last, and that of each query of several. */
function resultsOf(answer: Answer, named: Meanings, tables: Table[]): Result[] {
  const parts = answer.parts.map((part) => {
    const { columns, results } = part;
    return { part: part.number, columns, results, named: meaningsOf(answerOfPart(answer, part), tables) };
  });
  return [...parts, { part: null, columns: answer.columns, results: answer.results, named }];
}

/** The cell of a number; absent if it is none. */
function cellOf({ source, part, row, column }: AnswerNumber, results: Result[]): Cell | undefined {
  const result = results.find((one) => one.part === (part ?? null));
  if (source !== "result" || row == null || column == null || !result) return undefined;
  const values = result.results.map((one) => one[column]);
  return { value: values[row], format: columnFormat(column, values, result.named[column]) };
}

/** The dates of the rows as the table writes them. */
function datesOf(all: Result[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { columns, results, named } of all)
    for (const column of columns) {
      const values = results.map((row) => row[column]);
      const format = columnFormat(column, values, named[column]);
      if (!format.moment || format.moment === "monthOfYear") continue;
      for (const value of values) if (typeof value === "string") found.set(value, cell(value, format));
    }
  return found;
}
