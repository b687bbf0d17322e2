// Navigation: database, new question, earlier conversations, dashboard, saved queries, and reviews for reviewers.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { asProblem, call } from "../api/client";
import { useSessions, useUploadRules } from "../api/queries";
import type { DatabaseInfo, SessionList } from "../api/types";
import { span, when } from "../state/format";
import type { Route } from "../state/route";
import { useDeletion } from "../state/useDeletion";
import { AddData } from "./AddData";
import { DatabasePicker } from "./DatabasePicker";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";
import { ThemeSwitch } from "./ThemeSwitch";
import { UndoNotice } from "./UndoNotice";

interface Props {
  databases: DatabaseInfo[];
  database: string;
  onDatabase: (name: string) => void;
  onNew: () => void;
  onAsk: (question: string) => void;
  onLeave: () => void;
  route: Route;
  sessionId: string;
  onDeleted: (sessionId: string) => void;
}

export function Sidebar({ databases, database, onDatabase, onNew, onAsk, onLeave, route, sessionId, onDeleted }: Props) {
  const sessions = useSessions();
  const rules = useUploadRules();
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: (id: string) =>
      call(`agents/text-to-sql/session/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true }),
    onSettled: (_, error, id) => {
      if (!error) queries.setQueryData<SessionList>(["sessions"], (list) => without(list, id));
      return queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  const deletion = useDeletion(({ id }) => deleting.mutate(id));
  const hidden = new Set([deletion.pending?.id, deleting.isPending ? deleting.variables : undefined]);
  const shown = sessions.data?.sessions.filter((session) => !hidden.has(session.session_id)) ?? [];
  const mayReview = databases.some((one) => one.reviewer);
  return (
    <div className="sidebar">
      <DatabasePicker databases={databases} chosen={database} onChoose={onDatabase} />
      {rules.data ? <AddData rules={rules.data} onAdded={onDatabase} onAsk={onAsk} /> : null}
      <button type="button" className="button primary" onClick={onNew}>
        <Icon name="plus" />
        New question
      </button>
      <nav aria-label="Pages" className="pages">
        <a href="#/dashboard" aria-current={route.view === "dashboard" ? "page" : undefined} onClick={onLeave}>
          <Icon name="grid" /> Dashboard
        </a>
        <a href="#/saved" aria-current={route.view === "saved" ? "page" : undefined} onClick={onLeave}>
          <Icon name="save" /> Saved queries
        </a>
        {mayReview ? (
          <a href="#/reviews" aria-current={route.view === "reviews" ? "page" : undefined} onClick={onLeave}>
            <Icon name="inbox" /> Reviews
          </a>
        ) : null}
      </nav>
      <nav aria-label="History" className="history">
        <h2 className="small soft">History</h2>
        {sessions.data ? (
          <p className="small soft">
            {shown.length ? "Kept" : "Conversations are kept here"} for {span(sessions.data.kept_s)} after the last
            question.
          </p>
        ) : null}
        <UndoNotice deletion={deletion} />
        {deleting.error ? <ProblemView problem={asProblem(deleting.error)} /> : null}
        <ul>
          {shown.map((session) => (
            <li key={session.session_id} className="row">
              <a
                className="grow"
                href={`#/session/${session.session_id}`}
                aria-current={route.view === "session" && session.session_id === sessionId ? "page" : undefined}
                onClick={onLeave}
              >
                <span className="history-title" dir="auto">{session.title}</span>
                <span className="small soft">
                  {session.database} · {when(session.last_activity)}
                </span>
              </a>
              <button
                type="button"
                className="button quiet icon small"
                onClick={() => {
                  deletion.request({ id: session.session_id, name: session.title });
                  onDeleted(session.session_id);
                }}
              >
                <Icon name="trash" />
                <span className="sr-only">Delete “{session.title}”</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className="sidebar-foot row spread">
        <ThemeSwitch />
        <a href="./api/docs" className="small">
          API
        </a>
      </div>
    </div>
  );
}

function without(list: SessionList | undefined, id: string): SessionList | undefined {
  return list && { ...list, sessions: list.sessions.filter((session) => session.session_id !== id) };
}
