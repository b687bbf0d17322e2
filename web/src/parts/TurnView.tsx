// One question: its text, its steps and its answer.
import { useEffect, useRef, useState } from "react";
import type { Table } from "../api/types";
import { duration, plural } from "../state/format";
import { doing, type Turn } from "../state/turns";
import { Asked } from "./Asked";
import { AnswerView } from "./AnswerView";
import { Guarded } from "./Guarded";
import { ProblemView } from "./ProblemView";
import { Sql } from "./Sql";
import { Steps } from "./Steps";

interface Props {
  turn: Turn;
  tables: Table[];
  dialect: string;
  onAsk: (question: string) => void;
  onRecall: (turn: Turn) => Promise<void>;
}

export function TurnView({ turn, tables, dialect, onAsk, onRecall }: Props) {
  const asking = turn.status === "asking";
  const attempts = turn.answer?.attempts ?? 0;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asking) section.current?.scrollIntoView({ block: "start" }); // what happens comes below it, in sight
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when it is asked
  }, []);
  const how =
    turn.steps.length || turn.writing ? (
      <details className="how" open={asking || turn.status === "failed"} key={asking ? "live" : "over"}>
        <summary>
          {asking ? "In progress" : turn.answer ? "How this was answered" : "What was done"}
          {attempts > 1 ? <span className="tag">{plural(attempts, "attempt")}</span> : null}
        </summary>
        <Steps steps={turn.steps} writing={turn.writing} dialect={dialect} tables={tables} />
      </details>
    ) : null;
  return (
    <section className="turn" aria-label={turn.question} ref={section}>
      <Asked question={turn.question} as="h2" />
      {turn.answer ? null : how}
      {asking ? <Working turn={turn} /> : null}
      {asking && turn.text ? <p className="answer-text coming" dir="auto">{turn.text}</p> : null}
      {turn.answer ? (
        <Guarded key={turn.answer.answer_id}>
          <AnswerView
            answer={turn.answer}
            question={turn.question}
            database={turn.database}
            tables={tables}
            elapsedMs={turn.status === "answered" && turn.steps.length ? turn.endedAt - turn.startedAt : 0}
            onAsk={onAsk}
          />
        </Guarded>
      ) : null}
      {turn.answer ? how : null}
      {turn.status === "remembered" ? <Remembered turn={turn} dialect={dialect} onRecall={onRecall} /> : null}
      {turn.status === "cancelled" ? <p className="soft">Stopped.</p> : null}
      {turn.problem ? <ProblemView problem={turn.problem} again={() => onAsk(turn.question)} /> : null}
    </section>
  );
}

/** Progress: the current step, its duration, and the time since the last event. */
function Working({ turn }: { turn: Turn }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const since = Math.max(0, now - turn.startedAt);
  const silent = now - turn.heardAt;
  return (
    <div className="working">
      <span className="pulse" />
      <span role="status">{doing(turn)}…</span>
      <span className="soft small" aria-hidden="true">
        {duration(Math.floor(since / 1000) * 1000)}
        {silent > 20_000 ? ` · last update ${duration(Math.floor(silent / 1000) * 1000)} ago` : ""}
      </span>
    </div>
  );
}

/** A stored answer of a session: all of it, or else its text and its query. */
function Remembered({ turn, dialect, onRecall }: { turn: Turn; dialect: string; onRecall: (turn: Turn) => Promise<void> }) {
  const [gone, setGone] = useState(!turn.answerId);
  useEffect(() => {
    if (turn.answerId) onRecall(turn).catch(() => setGone(true));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when it comes into sight
  }, []);
  return (
    <div className="answer">
      <p className="answer-text" dir="auto">{turn.text}</p>
      {turn.sql ? <Sql text={turn.sql} dialect={dialect} /> : null}
      <p className="small soft" role="status">
        {gone ? "Rows and checks are no longer available. Ask again to see them." : "Loading the answer…"}
      </p>
    </div>
  );
}
