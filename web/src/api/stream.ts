// Streams a question's events. A lost connection is resumed where it broke off.
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { call, ProblemError, request } from "./client";
import type { Answer, Problem, Step } from "./types";

export type StreamEvent =
  | { event: "start"; answerId: string }
  | { event: "step"; step: Step }
  | { event: "queued"; length: number; waitS: number }
  | { event: "sql_progress"; sql: string }
  | { event: "answer_delta"; text: string }
  | { event: "done"; answer: Answer }
  | { event: "error"; problem: Problem }
  | { event: "alive" }
  | { event: "reconnecting"; tries: number };

export interface Asked {
  question: string;
  database: string;
  session_id: string;
  options?: { effort: Effort };
}

export const EFFORTS = ["quick", "balanced", "thorough"] as const;
export type Effort = (typeof EFFORTS)[number];

interface Wire {
  event: string;
  node: string | null;
  attempt: number | null;
  elapsed_ms: number | null;
  data: Record<string, unknown>;
}

const SILENCE_MS = 45_000; // three times the service's own sign of life
const TRIES = 6;
const LOST = "urn:plumbline:page:lost";
const lost: Problem = {
  type: LOST,
  title: "The connection was lost",
  status: 0,
  detail: "The answer could not be resumed. Ask again. Earlier answers are in the history.",
};

/** All events of a question; the last is `done` or `error`. Raises ProblemError, or AbortError when cancelled. */
export async function* ask(asked: Asked, signal: AbortSignal, wait = backoff): AsyncGenerator<StreamEvent> {
  const asking = { method: "POST", body: asked, accept: "text/event-stream", signal } as const;
  const response = await request("query/stream?resumable=true", asking);
  yield* followed(response, { sessionId: asked.session_id, answerId: "" }, signal, wait);
}

/** The same for a question that is running or has just ended: all its events, from the first. */
export function resume(place: Place, signal: AbortSignal, wait = backoff): AsyncGenerator<StreamEvent> {
  return followed(null, place, signal, wait);
}

export interface Place {
  sessionId: string;
  answerId: string;
}

async function* followed(begun: Response | null, place: Place, signal: AbortSignal, wait: typeof backoff): AsyncGenerator<StreamEvent> {
  let { answerId } = place;
  let response = begun;
  let lastId = "";
  for (let tries = 0; ; ) {
    try {
      for await (const [id, event] of response ? eventsOf(response, signal) : []) {
        if (id) [lastId, tries] = [id, 0];
        if (event.event === "start") answerId = event.answerId;
        yield event;
        if (event.event === "done" || event.event === "error") return;
      }
    } catch (error) {
      if (signal.aborted || error instanceof ProblemError) throw error;
    }
    // The stream ended without its last event: the connection is lost, the question still runs.
    for (;;) {
      if (!answerId || ++tries > TRIES) throw new ProblemError(lost);
      if (response || tries > 1) {
        yield { event: "reconnecting", tries };
        await wait(tries, signal);
      }
      try {
        response = await request(`query/stream/${answerId}`, {
          accept: "text/event-stream",
          headers: { "last-event-id": lastId },
          signal,
        });
        break;
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        if (error.problem.status === 404) {
          yield await fromSession(place.sessionId, answerId, signal); // another process was asked
          return;
        }
        if (error.problem.status !== 0) throw error;
      }
    }
  }
}

/** The answer that the session has stored. Raises ProblemError if there is none. */
async function fromSession(sessionId: string, answerId: string, signal: AbortSignal): Promise<StreamEvent> {
  try {
    return { event: "done", answer: await call<Answer>(`sessions/${sessionId}/answers/${answerId}`, { signal }) };
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) throw new ProblemError(lost);
    throw error;
  }
}

/** Cancel the question at the service. */
export async function giveUp(answerId: string): Promise<void> {
  await request(`query/stream/${answerId}`, { method: "DELETE" });
}

async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<[string, StreamEvent]> {
  if (!response.body) return;
  const ready: [string, StreamEvent][] = [];
  const parser = createParser({
    onEvent: (message) => {
      const event = read(message);
      if (event) ready.push([message.id ?? "", event]);
    },
    onComment: () => ready.push(["", { event: "alive" }]),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), signal);
      if (done) return;
      parser.feed(value);
      yield* ready.splice(0);
    }
  } finally {
    reader.cancel().catch(() => undefined); // it may be gone already
  }
}

function read(message: EventSourceMessage): StreamEvent | null {
  const wire = JSON.parse(message.data) as Wire;
  switch (wire.event) {
    case "start":
      return { event: "start", answerId: String(wire.data.answer_id) };
    case "node_complete": {
      const step = { node: wire.node, attempt: wire.attempt ?? 0, elapsedMs: wire.elapsed_ms ?? 0, data: wire.data };
      return { event: "step", step: step as unknown as Step };
    }
    case "queued":
      return { event: "queued", length: Number(wire.data.length), waitS: Number(wire.data.wait_s) };
    case "sql_progress":
      return { event: "sql_progress", sql: String(wire.data.sql) };
    case "answer_delta":
      return { event: "answer_delta", text: String(wire.data.text) };
    case "done":
      return { event: "done", answer: wire.data as unknown as Answer };
    case "error":
      return { event: "error", problem: wire.data as unknown as Problem };
    default:
      return null; // of a later version of the service
  }
}

/** The result of `reading`; an error if nothing arrives for so long that the connection must be lost. */
async function withinSilence<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer = 0;
  const silence = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new Error("silence")), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    window.clearTimeout(timer);
    signal.throwIfAborted();
  }
}

/** Waits 0.5, 1, 2, 4 … seconds, or until the network is back. */
function backoff(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      window.clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", stopped);
      resolve();
    };
    const stopped = (): void => {
      done();
      reject(signal.reason as Error);
    };
    const timer = window.setTimeout(done, 250 * 2 ** tries);
    window.addEventListener("online", done);
    signal.addEventListener("abort", stopped);
  });
}
