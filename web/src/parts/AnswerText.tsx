// The sentence, each quantity of which says where it comes from and leads there.
import { useId, useState } from "react";
import type { Answer } from "../api/types";
import { localized } from "../state/format";
import { type AnswerNumber, isFigure, origin, pieces } from "../state/numbers";

interface Props {
  answer: Answer;
  onShow: (number: AnswerNumber) => void;
  /** Shows the records behind a row of the result; absent where rows have none of their own. */
  onRecords?: ((row: number) => void) | undefined;
}

export function AnswerText({ answer, onShow, onRecords }: Props) {
  const [open, setOpen] = useState<AnswerNumber | null>(null);
  const id = useId();
  return (
    <>
      <p className="answer-text">
        {pieces(answer.answer, answer.numbers).map(({ text, number }, at) =>
          number && isFigure(number, answer) ? (
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
            text
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
