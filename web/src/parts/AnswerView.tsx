// An answer: the sentence, its checks, and tabs with the rows, the chart, the query and the records.
import { useCallback, useContext, useMemo, useState } from "react";
import type { Answer, Choice, Table } from "../api/types";
import { meaningsOf } from "../state/columns";
import { Embedded } from "../state/embedded";
import { cost, duration, plural } from "../state/format";
import { withDates } from "../state/moments";
import type { AnswerNumber } from "../state/numbers";
import { AnswerText } from "./AnswerText";
import { Checks, reasonOf } from "./Checks";
import { Feedback } from "./Feedback";
import { Icon } from "./Icon";
import { PartsView, type ShownPart } from "./PartsView";
import type { Marked } from "./RowsTable";
import { ShareMenu } from "./ShareMenu";
import { Tabs } from "./Tabs";
import { useTabs } from "./useTabs";

interface Props {
  answer: Answer;
  question: string;
  database: string;
  tables: Table[];
  elapsedMs: number;
  onAsk: (question: string) => void;
  /** Whether it is a shared answer of another user. */
  shared?: boolean;
}

export function AnswerView({ answer, question, database, tables, elapsedMs, onAsk, shared = false }: Props) {
  const embedded = useContext(Embedded);
  const [tab, setTab] = useState(answer.chart && !embedded ? "chart" : "rows"); // charts take twice what the chat does
  const [marked, setMarked] = useState<(Marked & { source: string }) | null>(null);
  const [shownPart, setShownPart] = useState<ShownPart | null>(null);
  const show = useCallback((number: AnswerNumber) => {
    if (number.part != null) return setShownPart({ number, at: Date.now() });
    const raw = number.source === "raw";
    setTab(raw ? "records" : "rows");
    if (raw) setGroup(null);
    if (number.row != null)
      setMarked({ row: number.row, column: number.column ?? null, at: Date.now(), source: raw ? "records" : "rows" });
  }, []);
  const [group, setGroup] = useState<number | null>(null); // the row whose records are shown
  const records = useCallback((row: number | null) => {
    setGroup(row);
    setTab("records");
  }, []);
  const onRecords = answer.raw_sql && answer.group_columns ? records : undefined;
  const named = useMemo(() => meaningsOf(answer, tables), [answer, tables]);
  const tabs = useTabs({ answer, question, database, tables, marked, group, onRecords });

  if (answer.status === "clarification_needed") return <Clarification answer={answer} onAsk={onAsk} />;
  const asked = answer.question || question;
  const verified = answer.verified || answer.kind !== "query";
  const reason = reasonOf(answer.checks, answer.doubts, verified); // which stands below the checks
  return (
    <article className={`answer ${answer.status}`} aria-label="Answer">
      <div className="row spread answer-head">
        <Standing answer={answer} />
        <span className="row">
          {answer.status === "success" && answer.session_id ? (
            <ShareMenu answer={answer} question={asked} database={database} />
          ) : null}
          {answer.status === "success" && answer.kind === "query" && !shared ? <Feedback answerId={answer.answer_id} /> : null}
        </span>
      </div>
      <AnswerText
        answer={listsChoices(answer) ? { ...answer, answer: withoutChoices(answer) } : answer}
        named={named}
        tables={tables}
        onShow={show}
        onRecords={onRecords}
      />
      {answer.status === "success" && answer.choices.length && !listsChoices(answer) ? <p className="small soft">You could ask instead:</p> : null}
      <Choices choices={answer.choices} label="Suggestions" onAsk={onAsk} />
      {answer.warnings.filter((warning) => warning !== reason).map((warning) => (
        <p key={warning} className="warned small">
          {warning}
        </p>
      ))}
      {answer.corrections.length ? <Corrections answer={answer} /> : null}
      <Checks checks={answer.checks} doubts={answer.doubts} confidence={answer.confidence ?? null} verified={verified} />
      {answer.parts.length ? (
        <PartsView answer={answer} database={database} tables={tables} shown={shownPart} />
      ) : null}
      {tabs.length ? <Tabs tabs={tabs} chosen={tab} onChoose={setTab} label="Answer details" /> : null}
      <Spent answer={answer} elapsedMs={elapsedMs} />
    </article>
  );
}

function Standing({ answer }: { answer: Answer }) {
  if (answer.kind === "small_talk") return <span className="tag">Plumbline</span>;
  if (answer.kind === "about_data") return <span className="tag">About the data</span>;
  if (answer.status === "error") return <span className="tag bad">No answer</span>;
  if (answer.verified)
    return (
      <span className="tag good">
        <Icon name="check" /> Verified
      </span>
    );
  return (
    <span className="row">
      <span className="tag warn">
        <Icon name="warning" /> Not verified
      </span>
      {answer.review_id ? <a href={`#/reviews/${answer.review_id}`}>Awaiting review</a> : null}
    </span>
  );
}

function Corrections({ answer }: { answer: Answer }) {
  const noun = answer.corrections.some((one) => one.expression === "sql") ? "correction" : "calculation";
  return (
    <details className="notes small">
      <summary>{plural(answer.corrections.length, noun)}</summary>
      <ul>
        {answer.corrections.map((one) => (
          <li key={one.expression + one.stated}>
            {one.expression === "sql" ? (
              <>
                In the query, <code>{one.stated}</code> became <code>{one.computed}</code>
              </>
            ) : (
              <>
                <code>{one.expression}</code> = <strong>{one.computed}</strong>
                {one.stated.startsWith("[[") ? null : <span className="soft"> (stated as {one.stated})</span>}
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Whether the text of an answer lists its choices. */
function listsChoices(answer: Answer): boolean {
  return answer.status === "error" || answer.kind === "small_talk";
}

/** The text, without the lines that are buttons. */
function withoutChoices(answer: Answer): string {
  const labels = new Set(answer.choices.map((choice) => `- ${choice.label}`));
  return answer.answer
    .split("\n")
    .filter((line) => !labels.has(line))
    .join("\n");
}

const NO_DATES = new Map<string, string>(); // a choice is about dates that no row has
const ANYWAY = "Ask anyway"; // which the service knows for what it is

interface ChoicesProps {
  choices: Choice[];
  label: string;
  onAsk: (question: string) => void;
}

function Choices({ choices, label, onAsk }: ChoicesProps) {
  return choices.length ? (
    <ul className="row choices" aria-label={label}>
      {choices.map((choice) => (
        <li key={choice.label}>
          <button type="button" className="button" onClick={() => onAsk(choice.question)} title={choice.question}>
            {withDates(choice.label, NO_DATES)}
          </button>
        </li>
      ))}
    </ul>
  ) : null;
}

function Clarification({ answer, onAsk }: { answer: Answer; onAsk: (question: string) => void }) {
  const missing = answer.clarification_reason === "missing_data";
  const anyway = ["missing_data", "missing_context", "vague_limit", "vague_measure"];
  const mayInsist = anyway.includes(answer.clarification_reason ?? "");
  const choices = mayInsist ? [...answer.choices, { label: ANYWAY, question: ANYWAY }] : answer.choices;
  return (
    <article className="answer clarification" aria-label="Clarification needed">
      <span className="tag">{missing ? "Not in the data" : "Clarification needed"}</span>
      <p className="answer-text" dir="auto">{withDates(withoutChoices(answer), NO_DATES)}</p>
      <Choices choices={choices} label="Options" onAsk={onAsk} />
      {answer.choices.length ? null : <p className="small soft">Type your answer below.</p>}
    </article>
  );
}

function Spent({ answer, elapsedMs }: { answer: Answer; elapsedMs: number }) {
  const spent = answer.usage;
  const time = elapsedMs || Object.values(answer.timings_ms).reduce((sum, ms) => sum + ms, 0);
  const tokens = spent.prompt_tokens + spent.completion_tokens;
  return (
    <p className="spent small soft">
      <Icon name="clock" /> {duration(time)} · {plural(spent.model_calls, "model call")} · {plural(tokens, "token")} ·{" "}
      {cost(spent.cost_usd)}
      {answer.reused ? " · query reused from an earlier answer" : ""}
    </p>
  );
}
