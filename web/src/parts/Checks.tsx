// The checks of an answer on one line that expands; expanded if one failed.
import { useId, useState } from "react";
import type { Answer, Check } from "../api/types";
import { percent, plural } from "../state/format";
import { Icon, type IconName } from "./Icon";

type Doubt = Answer["doubts"][number];

const NAMES: Record<string, string> = {
  guard: "Read-only",
  has_rows: "Rows returned",
  not_all_null: "Values present",
  asked_row_count: "Row count as asked",
  filter_values: "Filter values exist",
  second_draft: "Drafts agree",
  judge: "Judge",
  whole_question: "Whole question",
  raw_records: "Source records",
  plan: "Plan",
  parts: "Queries",
  grounding: "Numbers traced",
  calculator: "Arithmetic",
  answer: "Answer",
  row_filter: "Row filter",
  executed: "Executed",
  source: "Source",
  dry_run: "Dry run",
  confirmed: "Confirmed",
  rows: "Rows changed",
};

function nameOf(check: Check): string {
  return NAMES[check.name] ?? capital(check.name.replaceAll("_", " "));
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface State {
  word: string;
  icon: IconName;
  tone: string;
}

const FAILED: State = { word: "failed", icon: "cross", tone: "bad" };
const PASSED: State = { word: "passed", icon: "check", tone: "good" };
const SKIPPED: State = { word: "skipped", icon: "dash", tone: "plain" };
const ORDER = [FAILED, PASSED, SKIPPED];

function stateOf({ passed }: Check): State {
  return passed === null ? SKIPPED : passed ? PASSED : FAILED;
}

const EVIDENCE: Record<Doubt["evidence"], string> = {
  schema: "schema",
  data: "stored data",
  language: "wording",
};

/** The counts, such as "1 check failed, 12 passed, 1 skipped · 2 doubts". */
export function summaryOf(checks: Check[], doubts: Doubt[]): string {
  const counts = ORDER.map((state) => ({ state, count: checks.filter((check) => stateOf(check) === state).length }));
  const said = counts
    .filter(({ count }) => count)
    .map(({ state, count }, at) => `${at ? count : plural(count, "check")} ${state.word}`);
  return [said.join(", "), doubts.length ? plural(doubts.length, "doubt") : ""].filter(Boolean).join(" · ");
}

interface Props {
  checks: Check[];
  doubts: Doubt[];
  confidence: number | null;
}

export function Checks({ checks, doubts, confidence }: Props) {
  const failed = checks.some((check) => check.passed === false);
  const [open, setOpen] = useState(failed || doubts.some((doubt) => doubt.evidence !== "language"));
  const id = useId();
  if (!checks.length && !doubts.length) return null;
  const tone = failed ? FAILED : checks.some((check) => check.passed) ? PASSED : SKIPPED;
  const sorted = ORDER.flatMap((state) => checks.filter((check) => stateOf(check) === state));
  return (
    <div className="checks">
      <div className="row">
        <button
          type="button"
          className={`checks-line ${tone.tone}`}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <Icon name={tone.icon} />
          {summaryOf(checks, doubts)}
          <span className="turning">
            <Icon name="chevron" />
          </span>
        </button>
        {confidence === null ? null : (
          <span className="small soft" title="The calibrated probability that the rows are correct">
            {percent(confidence)} confidence
          </span>
        )}
      </div>
      <div id={id} hidden={!open} className="checks-list">
        {sorted.length ? (
          <ul aria-label="Checks">
            {sorted.map((check, at) => {
              const { word, icon, tone: tint } = stateOf(check);
              return (
                <li key={`${check.name}-${at}`} className={`check ${tint}`}>
                  <Icon name={icon} />
                  <p>
                    <strong>{nameOf(check)}</strong> <span className={tint === "plain" ? "soft" : "sr-only"}>{word}.</span>{" "}
                    <span className="soft">{check.detail}</span>
                  </p>
                </li>
              );
            })}
          </ul>
        ) : null}
        {doubts.length ? (
          <ul aria-label="Doubts">
            {doubts.map((doubt, at) => (
              <li key={`${doubt.rule}-${at}`} className="check doubt">
                <Icon name="question" />
                <p>
                  <strong>Doubt from the {EVIDENCE[doubt.evidence]}.</strong>{" "}
                  <span className="soft">{doubt.detail}</span>
                </p>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </div>
  );
}
