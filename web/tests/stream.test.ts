import { afterEach, describe, expect, it, vi } from "vitest";
import { ask, resume, type StreamEvent } from "../src/api/stream";
import { ProblemError } from "../src/api/client";
import { answerOf } from "./answers";

const ANSWER = `${"a".repeat(32)}-${"b".repeat(16)}`;
const ASKED = { question: "How many?", database: "shop", session_id: "s1" };

function told(event: string, data: unknown, id: number, node: string | null = null): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify({ event, node, attempt: 1, elapsed_ms: 2, data })}\n\n`;
}

const START = told("start", { trace_id: "a".repeat(32), answer_id: ANSWER, question: "How many?", database: "shop" }, 1);
const ENTRY = told("node_complete", { question: "How many?", asked: "", history: 0, leans: false }, 2, "entry");
const DONE = told("done", answerOf(), 3);

/** A stream of these pieces, cut anywhere; `lost` breaks off as a connection does. */
function streamed(pieces: string[], lost = false): Response {
  const encoder = new TextEncoder();
  const left = [...pieces];
  const body = new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
      else if (lost) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function problem(status: number): Response {
  const said = { type: "urn:x", title: "No", status, detail: "Not here." };
  return new Response(JSON.stringify(said), { status, headers: { "content-type": "application/problem+json" } });
}

async function heard(signal = new AbortController().signal): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of ask(ASKED, signal, () => Promise.resolve())) events.push(event);
  return events;
}

function answering(...responses: (Response | Error)[]): ReturnType<typeof vi.fn> {
  const fetching = vi.fn(async () => {
    const next = responses.shift();
    if (!next) throw new Error("nobody expected this request");
    if (next instanceof Error) throw next;
    return next;
  });
  vi.stubGlobal("fetch", fetching);
  return fetching;
}

afterEach(() => vi.unstubAllGlobals());

describe("a stream of events", () => {
  it("is read however it is cut, signs of life included", async () => {
    const whole = `${START}: ping\n\n${ENTRY}${DONE}`;
    answering(streamed([whole.slice(0, 37), whole.slice(37, 150), whole.slice(150)]));
    const events = await heard();
    expect(events.map((event) => event.event)).toEqual(["start", "alive", "step", "done"]);
    expect(events[2]).toMatchObject({ step: { node: "entry", attempt: 1, elapsedMs: 2 } });
  });

  it("passes over events of a later version", async () => {
    answering(streamed([START, told("something_new", {}, 2), DONE]));
    expect((await heard()).map((event) => event.event)).toEqual(["start", "done"]);
  });

  it("is taken up again after the last event that was heard", async () => {
    const fetching = answering(streamed([START, ENTRY], true), new TypeError("failed"), streamed([DONE]));
    const events = await heard();
    expect(events.map((event) => event.event)).toEqual(["start", "step", "reconnecting", "reconnecting", "done"]);
    const [address, asked] = fetching.mock.calls[2] as [string, RequestInit];
    expect(address).toBe(`./api/query/stream/${ANSWER}`);
    expect(asked.headers).toMatchObject({ "last-event-id": "2" });
  });

  it("is taken up where it ended without its last event, as a proxy cuts it", async () => {
    answering(streamed([START]), streamed([DONE]));
    expect((await heard()).at(-1)?.event).toBe("done");
  });

  it("ends with the answer of the session where another process is asked", async () => {
    const kept = new Response(JSON.stringify(answerOf({ answer: "42." })), { headers: { "content-type": "application/json" } });
    const fetching = answering(streamed([START]), problem(404), kept);
    expect((await heard()).at(-1)).toMatchObject({ event: "done", answer: { answer: "42." } });
    expect((fetching.mock.calls[2] as [string])[0]).toBe(`./api/sessions/s1/answers/${ANSWER}`);
  });

  it("says so where nothing is left of it", async () => {
    answering(streamed([START]), problem(404), problem(404));
    await expect(heard()).rejects.toMatchObject({ problem: { title: "The connection was lost" } });
  });

  it("gives up after some tries", async () => {
    answering(streamed([START]), ...Array.from({ length: 6 }, () => new TypeError("failed")));
    await expect(heard()).rejects.toMatchObject({ problem: { type: "urn:plumbline:page:lost" } });
  });

  it("is watched from its first event by a page that was loaded anew", async () => {
    const fetching = answering(streamed([START, ENTRY, DONE]));
    const events: string[] = [];
    for await (const event of resume({ sessionId: "s1", answerId: ANSWER }, new AbortController().signal)) events.push(event.event);
    expect(events).toEqual(["start", "step", "done"]);
    const [address, asked] = fetching.mock.calls[0] as [string, RequestInit];
    expect(address).toBe(`./api/query/stream/${ANSWER}`);
    expect(asked.headers).toMatchObject({ "last-event-id": "" });
  });

  it("raises what the service refuses", async () => {
    answering(problem(422));
    await expect(heard()).rejects.toBeInstanceOf(ProblemError);
  });

  it("ends when it is stopped", async () => {
    const stop = new AbortController();
    answering(streamed([START], true));
    const events = ask(ASKED, stop.signal, () => Promise.resolve());
    await events.next();
    stop.abort();
    await expect(events.next()).rejects.toThrow();
  });
});
