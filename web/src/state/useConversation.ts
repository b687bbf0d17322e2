// The conversation on the page: asks, follows, cancels, and loads earlier messages.
import { useCallback, useReducer, useRef, useState } from "react";
import { asProblem, call } from "../api/client";
import { ask, type Effort, giveUp, resume, type StreamEvent } from "../api/stream";
import type { Answer, Session } from "../api/types";
import { changed, newTurn, type Turn } from "./turns";
import { underWay } from "./underWay";

export interface Conversation {
  turns: Turn[];
  sessionId: string;
  busy: boolean;
  ask: (question: string, database: string, effort?: Effort | "") => Promise<boolean>; // whether it is still the one in sight at its end
  cancel: () => void;
  load: (sessionId: string) => Promise<string>;
  recall: (turn: Turn) => Promise<void>;
  clear: () => void;
}

/** A question that is followed. sessionId: empty until it is known. */
interface Watched {
  stop: AbortController;
  sessionId: string;
  answerId: string;
}

let count = 0;

export function useConversation(onSession: (sessionId: string) => void): Conversation {
  const [turns, change] = useReducer(changed, []);
  const [busy, setBusy] = useState(false);
  const [sessionId, setSessionId] = useState("");
  const session = useRef({ id: "", database: "" });
  const running = useRef<Watched | null>(null); // the one in sight
  const left = useRef(new Set<Watched>()); // those of other conversations, which go on

  const enter = useCallback((id: string, database: string) => {
    session.current = { id, database };
    setSessionId(id);
  }, []);

  const leave = useCallback(() => {
    if (running.current) left.current.add(running.current);
    running.current = null;
    setBusy(false);
  }, []);

  const sessionOf = useCallback(
    async (database: string, current: Watched): Promise<string> => {
      if (session.current.id && session.current.database === database) return session.current.id;
      const started = await call<{ session_id: string }>("sessions", { method: "POST", body: { database } });
      current.sessionId = started.session_id;
      if (running.current === current) {
        enter(started.session_id, database);
        onSession(started.session_id);
      }
      return started.session_id;
    },
    [enter, onSession],
  );

  const watch = useCallback(
    async (id: string, question: string, startedAt: number, begin: (current: Watched) => AsyncGenerator<StreamEvent>) => {
      const current: Watched = { stop: new AbortController(), sessionId: session.current.id, answerId: "" };
      running.current = current;
      setBusy(true);
      try {
        for await (const event of begin(current)) {
          if (event.event === "start") {
            current.answerId = event.answerId;
            underWay.keep(current.sessionId, { answerId: event.answerId, question, startedAt });
          }
          change({ type: "happened", id, event, at: Date.now() });
        }
      } catch (error) {
        if (current.stop.signal.aborted) change({ type: "cancelled", id, at: Date.now() });
        else change({ type: "failed", id, problem: asProblem(error), at: Date.now() });
      }
      left.current.delete(current);
      if (underWay.of(current.sessionId)?.answerId === current.answerId) underWay.forget(current.sessionId);
      if (running.current !== current) return false;
      running.current = null;
      setBusy(false);
      return true;
    },
    [],
  );

  const send = useCallback(
    (question: string, database: string, effort: Effort | "" = "") => {
      const id = `turn-${++count}`;
      const at = Date.now();
      change({ type: "asked", id, question, database, at });
      return watch(id, question, at, async function* (current) {
        const session_id = await sessionOf(database, current);
        const options = effort ? { options: { effort } } : {};
        yield* ask({ question, database, session_id, ...options }, current.stop.signal);
      });
    },
    [sessionOf, watch],
  );

  const cancel = useCallback(() => {
    const current = running.current;
    if (!current) return;
    if (current.answerId) giveUp(current.answerId).catch(() => undefined); // hanging up ends it as well, only later
    current.stop.abort();
  }, []);

  const load = useCallback(
    async (id: string) => {
      const found = await call<Session>(`agents/text-to-sql/session/${encodeURIComponent(id)}`);
      leave();
      enter(id, found.dataset_id);
      change({ type: "loaded", turns: remembered(found) });
      const asked = underWay.of(id);
      for (const one of left.current) if (one.sessionId === id) one.stop.abort(); // watched in sight from here on
      if (asked && found.messages.some((message) => message.answer_id === asked.answerId)) underWay.forget(id);
      else if (asked) {
        const turn = `turn-${++count}`;
        change({ type: "asked", id: turn, question: asked.question, database: found.dataset_id, at: asked.startedAt });
        const place = { sessionId: id, answerId: asked.answerId };
        void watch(turn, asked.question, asked.startedAt, (current) => {
          current.answerId = asked.answerId;
          return resume(place, current.stop.signal);
        });
      }
      return found.dataset_id;
    },
    [enter, leave, watch],
  );

  const recall = useCallback(async (turn: Turn) => {
    const path = `sessions/${encodeURIComponent(session.current.id)}/answers/${turn.answerId}`;
    const answer = await call<Answer>(path);
    change({ type: "recalled", id: turn.id, answer });
  }, []);

  const clear = useCallback(() => {
    leave();
    enter("", "");
    change({ type: "loaded", turns: [] });
  }, [enter, leave]);

  return { turns, sessionId, busy, ask: send, cancel, load, recall, clear };
}

/** A session's messages as turns: each question with the answer that follows it. */
export function remembered(session: Session): Turn[] {
  const turns: Turn[] = [];
  session.messages.forEach((message, at) => {
    const said = session.messages[at + 1];
    if (message.role !== "user" || said?.role !== "assistant") return;
    const when = Date.parse(message.timestamp);
    turns.push({
      ...newTurn(`turn-${++count}`, message.content, session.dataset_id, when),
      status: "remembered",
      text: said.content,
      sql: said.sql_query,
      answerId: said.answer_id,
      endedAt: Date.parse(said.timestamp),
    });
  });
  return turns;
}
