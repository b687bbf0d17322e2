// A conversation as a list of turns, and how each event changes it.
import type { StreamEvent } from "../api/stream";
import type { Answer, Problem, Step } from "../api/types";
import { duration } from "./format";

export type Status = "asking" | "answered" | "failed" | "cancelled" | "remembered";

/** One question and its result. `remembered`: from an earlier session; only the text is loaded so far. */
export interface Turn {
  id: string;
  question: string;
  database: string;
  status: Status;
  answerId: string;
  steps: Step[];
  queued: { length: number; waitS: number } | null; // what it waits for
  writing: string; // the SQL as far as it is written
  text: string; // the answer as far as it has come
  sql: string | null;
  answer: Answer | null;
  problem: Problem | null;
  startedAt: number;
  endedAt: number;
  heardAt: number;
  reconnecting: number;
}

export type Change =
  | { type: "asked"; id: string; question: string; database: string; at: number }
  | { type: "happened"; id: string; event: StreamEvent; at: number }
  | { type: "failed"; id: string; problem: Problem; at: number }
  | { type: "cancelled"; id: string; at: number }
  | { type: "recalled"; id: string; answer: Answer }
  | { type: "loaded"; turns: Turn[] };

export function newTurn(id: string, question: string, database: string, at: number): Turn {
  return {
    id,
    question,
    database,
    status: "asking",
    answerId: "",
    steps: [],
    queued: null,
    writing: "",
    text: "",
    sql: null,
    answer: null,
    problem: null,
    startedAt: at,
    endedAt: 0,
    heardAt: at,
    reconnecting: 0,
  };
}

export function changed(turns: Turn[], change: Change): Turn[] {
  switch (change.type) {
    case "loaded":
      return change.turns;
    case "asked":
      return [...turns, newTurn(change.id, change.question, change.database, change.at)];
    case "happened":
      return replaced(turns, change.id, (turn) => after(turn, change.event, change.at));
    case "failed":
      return replaced(turns, change.id, (turn) => ({
        ...turn,
        status: "failed",
        problem: change.problem,
        endedAt: change.at,
        reconnecting: 0,
      }));
    case "cancelled":
      return replaced(turns, change.id, (turn) => ({ ...turn, status: "cancelled", endedAt: change.at, reconnecting: 0 }));
    case "recalled":
      return replaced(turns, change.id, (turn) => ({ ...turn, status: "answered", answer: change.answer }));
  }
}

function replaced(turns: Turn[], id: string, update: (turn: Turn) => Turn): Turn[] {
  return turns.map((turn) => (turn.id === id ? update(turn) : turn));
}

function after(turn: Turn, event: StreamEvent, at: number): Turn {
  const heard = { ...turn, heardAt: at, reconnecting: 0 };
  switch (event.event) {
    case "start":
      return { ...heard, answerId: event.answerId };
    case "step":
      return { ...heard, queued: null, steps: [...turn.steps, event.step], writing: event.step.node === "sql_generator" ? "" : turn.writing };
    case "queued":
      return { ...heard, queued: { length: event.length, waitS: event.waitS } };
    case "sql_progress":
      return { ...heard, queued: null, writing: event.sql };
    case "answer_delta":
      return { ...heard, text: turn.text + event.text };
    case "done":
      return { ...heard, status: "answered", answer: event.answer, answerId: event.answer.answer_id, endedAt: at };
    case "error":
      return { ...heard, status: "failed", problem: event.problem, endedAt: at };
    case "alive":
      return heard;
    case "reconnecting":
      return { ...turn, reconnecting: event.tries };
  }
}

/** The current step, from the last one that ended. */
export function doing(turn: Turn): string {
  if (turn.reconnecting) return "Connection lost. Reconnecting";
  if (turn.text) return "Answering";
  if (turn.queued) return `Waiting: ${turn.queued.length} ahead, about ${duration(turn.queued.waitS * 1000)}`;
  if (turn.writing) return "Writing the query";
  const last = turn.steps.at(-1);
  switch (last?.node) {
    case undefined:
      return "Asking";
    case "entry":
    case "dialect_resolver":
    case "question_planner":
    case "part_answered":
      return "Reading the schema and docs";
    case "schema_selector":
    case "sql_repair":
      return "Writing the query";
    case "sql_generator":
      return "Checking the query";
    case "planner":
      return last.data.source === "model" ? "Writing the query" : "Running the query";
    case "sql_validator":
      return last.data.passed ? "Running the query" : "Analyzing the error";
    case "sql_executor":
      return last.data.error ? "Analyzing the error" : "Checking the rows";
    case "evaluator":
      return "Fetching source records";
    case "raw_records":
      return "Writing the answer";
    default:
      return "Finishing";
  }
}
