// The sentence, each quantity of which says where it comes from and leads there.
import { useId, useMemo, useState } from "react";
import type { Answer } from "../api/types";
import { type Meanings, meanings } from "../state/columns";
import { cell, columnFormat, localized } from "../state/format";
import { withDates } from "../state/moments";
import { type AnswerNumber, isFigure, origin, pieces } from "../state/numbers";

interface Props {
  answer: Answer;
  /** Which columns of the rows are months or years. */
  named?: Meanings;
  onShow: (number: AnswerNumber) => void;
  /** Shows the records behind a row of the result; absent where rows have none of their own. */
  onRecords?: ((row: number) => void) | undefined;
}

const NONE: Meanings = {};

export function AnswerText({ answer, named = NONE, onShow, onRecords }: Props) {
  const [open, setOpen] = useState<AnswerNumber | null>(null);
  const id = useId();
  const dates = useMemo(() => datesOf(answer, named), [answer, named]);
  return (
    <>
      <p className="answer-text">
        {pieces(answer.answer, answer.numbers).map(({ text, number }, at) =>
          number && isFigure(number, answer, named) ? (
            <button
              key={at}
              type="button"
              className={`figure ${number.source ? "" : "untraced"}`}
              title={origin(number)}
              aria-expanded={open === number}
              aria-controls={id}
              onClick={() => {
                setOpen(open === number ? null : number);
                if (number.row != null || number.source === "row count") onShow(number);
              }}
            >
              {localized(text, answer.language)}
            </button>
          ) : (
            withDates(text, dates)
          ),
        )}
      </p>
      <p id={id} role="status" className={open ? "figure-origin" : "sr-only"}>
        {open ? (
          <>
            <strong>{localized(open.text, answer.language)}</strong> {origin(open)}.
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

/** The dates of the rows, of each query where there are several, as the table writes them. */
function datesOf(answer: Answer, named: Meanings): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of answer.parts) addDates(found, part, meanings(part.columns, part.sql ?? ""));
  addDates(found, answer, named);
  return found;
}

function addDates(found: Map<string, string>, { columns, results }: Pick<Answer, "columns" | "results">, named: Meanings): void {
  for (const column of columns) {
    const values = results.map((row) => row[column]);
    const format = columnFormat(column, values, named[column]);
    if (!format.moment || format.moment === "monthOfYear") continue;
    for (const value of values) if (typeof value === "string") found.set(value, cell(value, format));
  }
}
