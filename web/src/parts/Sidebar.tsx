// The way around: the database, a new question, earlier conversations, saved queries, and reviews for those who may.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client";
import { useSessions } from "../api/queries";
import type { DatabaseInfo } from "../api/types";
import { span, when } from "../state/format";
import type { Route } from "../state/route";
import { DatabasePicker } from "./DatabasePicker";
import { Icon } from "./Icon";
import { ThemeSwitch } from "./ThemeSwitch";

interface Props {
  databases: DatabaseInfo[];
  database: string;
  onDatabase: (name: string) => void;
  onNew: () => void;
  onLeave: () => void;
  route: Route;
  sessionId: string;
  onForgotten: (sessionId: string) => void;
}

export function Sidebar({ databases, database, onDatabase, onNew, onLeave, route, sessionId, onForgotten }: Props) {
  const sessions = useSessions();
  const queries = useQueryClient();
  const forgetting = useMutation({
    mutationFn: (id: string) => call(`agents/text-to-sql/session/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: (_, id) => {
      onForgotten(id);
      return queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  const mayReview = databases.some((one) => one.reviewer);
  return (
    <div className="sidebar">
      <DatabasePicker databases={databases} chosen={database} onChoose={onDatabase} />
      <button type="button" className="button primary" onClick={onNew}>
        <Icon name="plus" />
        New question
      </button>
      <nav aria-label="Pages" className="pages">
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
        <h3 className="small soft">History</h3>
        {sessions.data ? (
          <p className="small soft">
            {sessions.data.sessions.length ? "Kept" : "Conversations are kept here"} for {span(sessions.data.kept_s)} after the last
            question.
          </p>
        ) : null}
        <ul>
          {sessions.data?.sessions.map((session) => (
            <li key={session.session_id} className="row">
              <a
                className="grow"
                href={`#/session/${session.session_id}`}
                aria-current={route.view === "session" && session.session_id === sessionId ? "page" : undefined}
                onClick={onLeave}
              >
                <span className="history-title">{session.title}</span>
                <span className="small soft">
                  {session.database} · {when(session.last_activity)}
                </span>
              </a>
              <button
                type="button"
                className="button quiet icon small"
                disabled={forgetting.isPending}
                onClick={() => forgetting.mutate(session.session_id)}
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
