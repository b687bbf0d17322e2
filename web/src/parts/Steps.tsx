// The steps of a question as they happen: docs, query, errors and verdict.
import type { ReactNode } from "react";
import type { Step, Table } from "../api/types";
import { count, duration, plural } from "../state/format";
import { FirstRows } from "./FirstRows";
import { Icon, type IconName } from "./Icon";
import { Sql } from "./Sql";

type Tone = "good" | "bad" | "plain";

interface Line {
  title: string;
  tone: Tone;
  body?: ReactNode;
}

const ICONS: Record<Tone, IconName> = { good: "check", bad: "cross", plain: "dash" };

interface Props {
  steps: Step[];
  writing: string;
  dialect: string;
  tables?: Table[];
}

const NONE: Table[] = [];

export function Steps({ steps, writing, dialect, tables = NONE }: Props) {
  return (
    <ol className="steps">
      {steps.map((step, at) => {
        const line = lineOf(step, { dialect, tables, before: steps.slice(0, at) });
        return line ? (
          <li key={`${step.node}-${at}`} className={`step ${line.tone}`}>
            <span className="step-mark">
              <Icon name={ICONS[line.tone]} />
            </span>
            <div className="grow">
              <p className="step-title">
                {step.data.part ? <span className="soft">[{step.data.part}] </span> : null}
                {line.title}
                {step.elapsedMs >= 1 ? <span className="soft small"> {duration(step.elapsedMs)}</span> : null}
              </p>
              {line.body}
            </div>
          </li>
        ) : null;
      })}
      {writing ? (
        <li className="step plain">
          <span className="step-mark">
            <span className="pulse" />
          </span>
          <div className="grow">
            <p className="step-title">
              Writing the query <span className="tag warn">Not yet checked</span>
            </p>
            <Sql text={writing} dialect={dialect} />
          </div>
        </li>
      ) : null}
    </ol>
  );
}

interface Around {
  dialect: string;
  tables: Table[];
  before: Step[];
}

/** The query that a step of the same part wrote last. */
function sqlBefore(step: Step, before: Step[]): string {
  const found = before.findLast((one) => one.node === "sql_generator" && one.data.part === step.data.part);
  return found?.node === "sql_generator" ? (found.data.sql ?? "") : "";
}

/** The text of a step; null if it adds nothing. */
function lineOf(step: Step, { dialect, tables, before }: Around): Line | null {
  switch (step.node) {
    case "entry":
      return step.data.asked && step.data.asked !== step.data.question
        ? { title: "Understood as a follow-up", tone: "plain", body: <p>{step.data.question}</p> }
        : null;
    case "dialect_resolver":
    case "answer_formatter":
      return null;
    case "schema_selector":
      return {
        title: `${step.data.pruned ? "Chose" : "Looked at"} ${plural(step.data.tables.length, "table")}, found ${plural(step.data.documents.length, "note")}`,
        tone: "good",
        body: <Found tables={step.data.tables} notes={step.data.documents} warnings={step.data.warnings} />,
      };
    case "question_planner":
      return { title: `Planned ${plural(step.data.questions.length, "query", "queries")}`, tone: "good", body: <Questions questions={step.data.questions} /> };
    case "part_answered":
      return step.data.status === "success" ? { title: "Answered", tone: "good" } : { title: "Not answered", tone: "bad", body: <p>{step.data.answer}</p> };
    case "planner":
      return { title: step.data.source === "model" ? "Planned" : "Read the plan from the query", tone: "plain", body: <PlanView plan={step.data.plan} /> };
    case "sql_generator":
      return written(step.data, step.attempt, dialect);
    case "sql_validator":
      return step.data.passed
        ? null
        : { title: "Query rejected", tone: "bad", body: <p>{step.data.error}</p> };
    case "sql_executor":
      return step.data.error
        ? { title: "The database rejected the query", tone: "bad", body: <p>{step.data.error}</p> }
        : {
            title: `${count(step.data.row_count)}${step.data.truncated ? "+" : ""} ${step.data.row_count === 1 ? "row" : "rows"}`,
            tone: "good",
            body: (
              <FirstRows
                columns={step.data.columns ?? []}
                rows={step.data.rows ?? []}
                total={step.data.row_count ?? 0}
                sql={sqlBefore(step, before)}
                tables={tables}
              />
            ),
          };
    case "evaluator":
      return judged(step.data);
    case "sql_repair":
      return { title: "Retrying", tone: "plain", body: <p>{[step.data.error, step.data.hint].filter(Boolean).join(" ")}</p> };
    case "raw_records":
      return step.data.sql
        ? { title: `Fetched ${count(step.data.row_count)}${step.data.truncated ? "+" : ""} source records`, tone: "good" }
        : null;
    case "human_review":
      return { title: "No attempt was accepted. It needs a review", tone: "bad" };
  }
}

function written(data: Extract<Step, { node: "sql_generator" }>["data"], attempt: number, dialect: string): Line {
  if (data.clarification) return { title: "Clarification needed", tone: "plain", body: <p>{data.clarification}</p> };
  if (!data.sql) return { title: "The model's reply contains no query", tone: "bad" };
  const title = data.source === "reused" ? "Reused the query of an earlier answer" : `Wrote query ${attempt}`;
  return { title, tone: "good", body: <Sql text={data.sql} dialect={dialect} /> };
}

const DECIDES = { checks: "a check", drafts: "the drafts", judge: "the judge" } as const;

function judged(data: Extract<Step, { node: "evaluator" }>["data"]): Line {
  const failed = data.checks.filter((check) => check.passed === false);
  const reasons = [data.verdict?.reason, ...failed.map((check) => check.detail)].filter(Boolean);
  if (!data.verdict)
    return reasons.length
      ? { title: "Not confirmed", tone: "plain", body: reasons.map((reason) => <p key={reason}>{reason}</p>) }
      : { title: "Not judged", tone: "plain" };
  const title = `${data.verdict.correct ? "Accepted" : "Rejected"} by ${DECIDES[data.verdict.source]}`;
  return {
    title,
    tone: data.verdict.correct ? "good" : "bad",
    body: [...new Set(reasons)].map((reason) => <p key={reason}>{reason}</p>),
  };
}

function Found({ tables, notes, warnings }: { tables: string[]; notes: string[]; warnings: string[] }) {
  return (
    <>
      <p className="mono">{tables.join(", ")}</p>
      {notes.length ? (
        <details className="notes">
          <summary>Notes from the docs</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} className="warned">
          {warning}
        </p>
      ))}
    </>
  );
}

function Questions({ questions }: { questions: string[] }) {
  return questions.map((question, at) => (
    <p key={question}>
      <span className="soft">[{at + 1}]</span> {question}
    </p>
  ));
}

function PlanView({ plan }: { plan: Extract<Step, { node: "planner" }>["data"]["plan"] }) {
  const parts: [string, string[]][] = [
    ["from", plan.tables],
    ["joined", plan.joins],
    ["where", plan.filters],
    ["computing", plan.aggregates],
    ["for each", plan.group_by],
    ["ordered by", plan.order_by],
  ];
  return (
    <p className="plan">
      {parts
        .filter(([, items]) => items.length)
        .map(([name, items]) => (
          <span key={name}>
            <span className="soft">{name}</span> <code>{items.join(", ")}</code>{" "}
          </span>
        ))}
      {plan.limit ? (
        <span>
          <span className="soft">first</span> <code>{plan.limit}</code>
        </span>
      ) : null}
    </p>
  );
}
