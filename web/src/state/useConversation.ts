// The conversation on the page: asks, watches, gives up, and loads what was said before.
import { useCallback, useReducer, useRef, useState } from "react";
import { asProblem, call } from "../api/client";
import { ask, giveUp } from "../api/stream";
import type { Answer, Session } from "../api/types";
import { changed, newTurn, type Turn } from "./turns";

export interface Conversation {
  turns: Turn[];
  sessionId: string;
  busy: boolean;
  ask: (question: string, database: string) => Promise<void>;
  cancel: () => void;
  load: (sessionId: string) => Promise<string>;
  recall: (turn: Turn) => Promise<void>;
  clear: () => void;
}

let count = 0;

export function useConversation(onSession: (sessionId: string) => void): Conversation {
  const [turns, change] = useReducer(changed, []);
  const [busy, setBusy] = useState(false);
  const [sessionId, setSessionId] = useState("");
  const session = useRef({ id: "", database: "" });
  const running = useRef<{ stop: AbortController; traceId: string } | null>(null);

  const enter = useCallback((id: string, database: string) => {
    session.current = { id, database };
    setSessionId(id);
  }, []);

  const sessionOf = useCallback(
    async (database: string): Promise<string> => {
      if (session.current.id && session.current.database === database) return session.current.id;
      const started = await call<{ session_id: string }>("sessions", { method: "POST", body: { database } });
      enter(started.session_id, database);
      onSession(started.session_id);
      return started.session_id;
    },
    [enter, onSession],
  );

  const send = useCallback(
    async (question: string, database: string) => {
      const id = `turn-${++count}`;
      const stop = new AbortController();
      const current = { stop, traceId: "" };
      running.current = current;
      setBusy(true);
      change({ type: "asked", id, question, database, at: Date.now() });
      try {
        const asked = { question, database, session_id: await sessionOf(database) };
        for await (const event of ask(asked, stop.signal)) {
          if (event.event === "start") current.traceId = event.traceId;
          change({ type: "happened", id, event, at: Date.now() });
        }
      } catch (error) {
        if (stop.signal.aborted) change({ type: "cancelled", id, at: Date.now() });
        else change({ type: "failed", id, problem: asProblem(error), at: Date.now() });
      } finally {
        if (running.current === current) {
          running.current = null;
          setBusy(false);
        }
      }
    },
    [sessionOf],
  );

  const cancel = useCallback(() => {
    const current = running.current;
    if (!current) return;
    if (current.traceId) giveUp(current.traceId).catch(() => undefined); // hanging up ends it as well, only later
    current.stop.abort();
  }, []);

  const load = useCallback(
    async (id: string) => {
      const found = await call<Session>(`agents/text-to-sql/session/${encodeURIComponent(id)}`);
      enter(id, found.dataset_id);
      change({ type: "loaded", turns: remembered(found) });
      return found.dataset_id;
    },
    [enter],
  );

  const recall = useCallback(async (turn: Turn) => {
    const path = `sessions/${encodeURIComponent(session.current.id)}/answers/${turn.traceId}`;
    const answer = await call<Answer>(path);
    change({ type: "recalled", id: turn.id, answer });
  }, []);

  const clear = useCallback(() => {
    enter("", "");
    change({ type: "loaded", turns: [] });
  }, [enter]);

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
      traceId: said.trace_id,
      endedAt: Date.parse(said.timestamp),
    });
  });
  return turns;
}
