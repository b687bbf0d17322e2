// The checks of an answer on one line that expands; below it, what speaks against the answer.
import { useId, useState } from "react";
import names from "../../../agent/present/check_names.json";
import type { Answer, Check } from "../api/types";
import { percent, plural } from "../state/format";
import { Icon, type IconName } from "./Icon";

type Doubt = Answer["doubts"][number];

const NAMES: Record<string, string> = names; // which the terminal shows, too

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
const DOUBTED: State = { word: "doubted", icon: "question", tone: "doubt" };
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

// Checks that may be skipped: an answer is verified without them.
const MAY_BE_SKIPPED = ["raw_records", "calculator", "filter_values", "has_rows"];
const UNCONFIRMED = "No other draft and no judge confirmed these rows.";

/** What speaks against an answer, in one sentence: its first doubt, else why it is not verified. */
export function reasonOf(checks: Check[], doubts: Doubt[], verified: boolean): string {
  const [doubt] = sorted(doubts);
  if (doubt) return doubt.detail;
  const told = checks.filter((check) => check.detail);
  const failed = told.find((check) => check.passed === false);
  if (failed || verified) return failed?.detail ?? "";
  return told.find((check) => check.passed === null && !MAY_BE_SKIPPED.includes(check.name))?.detail ?? UNCONFIRMED;
}

/** Doubts from the schema and the data before those from the wording. */
function sorted(doubts: Doubt[]): Doubt[] {
  const fromWording = (doubt: Doubt) => Number(doubt.evidence === "language");
  return [...doubts].sort((one, other) => fromWording(one) - fromWording(other));
}

interface Props {
  checks: Check[];
  doubts: Doubt[];
  confidence: number | null;
  verified: boolean;
}

export function Checks({ checks, doubts, confidence, verified }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  if (!checks.length && !doubts.length) return null;
  const failed = checks.some((check) => check.passed === false);
  const passed = verified && checks.some((check) => check.passed);
  const state = failed ? FAILED : doubts.length ? DOUBTED : passed ? PASSED : SKIPPED;
  const reason = reasonOf(checks, doubts, verified);
  return (
    <div className="checks">
      <div className="row">
        <button
          type="button"
          className={`checks-line ${state.tone}`}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <Icon name={state.icon} />
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
      {reason && !open ? <p className={`checks-reason ${state.tone}`}>{reason}</p> : null}
      <div id={id} hidden={!open} className="checks-list">
        {doubts.length ? (
          <ul aria-label="Doubts">
            {sorted(doubts).map((doubt, at) => (
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
        {checks.length ? (
          <ul aria-label="Checks">
            {ORDER.flatMap((one) => checks.filter((check) => stateOf(check) === one)).map((check, at) => {
              const { word, icon, tone } = stateOf(check);
              return (
                <li key={`${check.name}-${at}`} className={`check ${tone}`}>
                  <Icon name={icon} />
                  <p>
                    <strong>{nameOf(check)}</strong> <span className={tone === "plain" ? "soft" : "sr-only"}>{word}.</span>{" "}
                    <span className="soft">{check.detail}</span>
                  </p>
                </li>
              );
            })}
          </ul>
        ) : null}
      </div>
    </div>
  );
}
