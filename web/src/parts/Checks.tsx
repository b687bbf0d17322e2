// The checks of an answer as a row of marks; each opens to what it found.
import { useId, useState } from "react";
import type { Check } from "../api/types";
import { Icon, type IconName } from "./Icon";

const NAMES: Record<string, string> = {
  guard: "Read-only",
  silently_wrong: "No known trap",
  filter_values: "Filters are stored",
  asked_filters: "Only filters asked for",
  asked_columns: "Only columns asked for",
  asked_shares: "Percentages of the right whole",
  repeated_rows: "Each value once",
  asked_row_count: "Rows as many as asked",
  said_values: "Values of the question",
  said_measures: "Measures of the question",
  judge: "Judge",
  grounding: "Numbers traced",
  calculator: "Arithmetic",
  raw_records: "Records behind",
  row_filter: "Row filter",
  whole_question: "Whole question",
  executed: "Executed",
  answer: "Answer written",
};

function nameOf(check: Check): string {
  const words = check.name.replaceAll("_", " ");
  return NAMES[check.name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const STATES: [boolean | null, string, IconName, string][] = [
  [true, "passed", "check", "good"],
  [false, "failed", "cross", "bad"],
  [null, "not made", "dash", "plain"],
];

export function Checks({ checks }: { checks: Check[] }) {
  const [open, setOpen] = useState<number | null>(null);
  const id = useId();
  const shown = open === null ? undefined : checks[open];
  return (
    <div className="checks">
      <ul className="row" aria-label="Checks of this answer">
        {checks.map((check, at) => {
          const [, said, icon, tone] = STATES.find(([passed]) => passed === check.passed) ?? STATES[2]!;
          return (
            <li key={`${check.name}-${at}`}>
              <button
                type="button"
                className={`check ${tone}`}
                aria-label={`${nameOf(check)} ${said}`}
                aria-expanded={open === at}
                aria-controls={id}
                onClick={() => setOpen(open === at ? null : at)}
              >
                <Icon name={icon} />
                {nameOf(check)}
              </button>
            </li>
          );
        })}
      </ul>
      <div id={id} role="status" className={shown ? "check-detail" : "sr-only"}>
        {shown ? (
          <p>
            <strong>{nameOf(shown)}.</strong> {shown.detail || "Nothing more is known of it."}
          </p>
        ) : null}
      </div>
    </div>
  );
}
