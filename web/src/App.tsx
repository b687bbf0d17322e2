import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { asProblem, keys } from "./api/client";
import { EFFORTS, type Effort } from "./api/stream";
import { signInOf, useDatabase, useDatabases, useSchema, wantsKey } from "./api/queries";
import type { Table } from "./api/types";
import { Composer } from "./parts/Composer";
import { Drawer } from "./parts/Drawer";
import { Icon } from "./parts/Icon";
import { KeyDialog } from "./parts/KeyDialog";
import { ProblemView } from "./parts/ProblemView";
import { SchemaPanel } from "./parts/SchemaPanel";
import { Sidebar } from "./parts/Sidebar";
import { TurnView } from "./parts/TurnView";
import { hasNoRows } from "./state/rows";
import { useRoute } from "./state/route";
import { useConversation } from "./state/useConversation";
import { useWide } from "./state/useWide";
import { DashboardView } from "./views/DashboardView";
import { ReviewsView } from "./views/ReviewsView";
import { SavedView } from "./views/SavedView";
import { SharedView } from "./views/SharedView";
import { Welcome } from "./views/Welcome";

const DATABASE = "plumbline.database";
const EFFORT = "plumbline.effort";
const NONE: Table[] = []; // always the same, for the editor of a query begins anew with other tables

export function App() {
  const [route, go] = useRoute();
  const queries = useQueryClient();
  const databases = useDatabases();
  const [database, setDatabase] = useState(() => localStorage.getItem(DATABASE) ?? "");
  const [text, setText] = useState("");
  const [effort, setEffort] = useState<Effort | "">(() => EFFORTS.find((one) => one === localStorage.getItem(EFFORT)) ?? "");
  const [menu, setMenu] = useState(false);
  const room = { menu: useWide("(min-width: 900px)"), schema: useWide("(min-width: 1280px)") };
  const [schemaWanted, setSchema] = useState<boolean | null>(null);
  const schemaOpen = schemaWanted ?? room.schema;
  const field = useRef<HTMLTextAreaElement>(null);
  const main = useRef<HTMLElement>(null);
  const chatting = route.view === "ask" || route.view === "session";

  // Moves the focus to the new view, for keyboards and screen readers.
  const seen = useRef(route.view);
  useEffect(() => {
    if (seen.current !== route.view && !chatting) main.current?.focus({ preventScroll: true });
    seen.current = route.view;
  }, [route.view, chatting]);

  const started = useCallback(
    (id: string) => {
      go({ view: "session", id });
    },
    [go],
  );
  const conversation = useConversation(started);
  const { load, clear, sessionId, turns, busy } = conversation;

  const choose = useCallback((name: string) => {
    setDatabase(name);
    localStorage.setItem(DATABASE, name);
  }, []);

  // The first available database, if none is chosen or the chosen one is gone.
  useEffect(() => {
    const known = databases.data;
    if (!known?.length || known.some((one) => one.name === database)) return;
    setDatabase((known.find((one) => one.available) ?? known[0])?.name ?? "");
  }, [databases.data, database]);

  const [problem, setProblem] = useState<unknown>(null);
  const shared = route.view === "ask" ? route : null;
  useEffect(() => {
    if (!shared) return;
    if (shared.database) choose(shared.database);
    if (shared.question) {
      setText(shared.question);
      field.current?.focus();
    }
  }, [shared?.database, shared?.question, choose]);

  const wanted = route.view === "session" ? route.id : "";
  useEffect(() => {
    if (route.view === "ask" && sessionId) clear(); // by Back, or by a link
    if (route.view === "ask") setProblem(null);
    if (!wanted || wanted === sessionId) return;
    setProblem(null);
    load(wanted).then(choose, setProblem);
  }, [route.view, wanted, sessionId, load, clear, choose]);

  const details = useDatabase(database);
  const schema = useSchema(database);
  const tables = schema.data?.tables ?? NONE;
  const dialect = schema.data?.dialect ?? details.data?.dialect ?? "";

  const ask = useCallback(
    (question: string) => {
      setText("");
      void conversation.ask(question.trim(), database, effort).then((inSight) => {
        void queries.invalidateQueries({ queryKey: ["sessions"] });
        if (inSight) field.current?.focus({ preventScroll: true });
      });
    },
    [conversation.ask, database, effort, queries],
  );
  const anew = useCallback(() => {
    clear();
    setText("");
    setProblem(null);
    go({ view: "ask", question: "", database: "" });
    setMenu(false);
    requestAnimationFrame(() => field.current?.focus());
  }, [clear, go]);
  const changeDatabase = (name: string) => {
    choose(name);
    if (turns.length) anew(); // a conversation is about one database
  };

  if (wantsKey(databases.error))
    return (
      <KeyDialog
        key={keys.get()}
        problem={asProblem(databases.error)}
        signIn={signInOf(databases.error)}
        onKey={() => void queries.invalidateQueries()}
      />
    );
  return (
    <div className="frame">
      <a
        href={chatting ? "#question" : "#content"}
        className="skip"
        onClick={(event) => {
          event.preventDefault();
          (chatting ? field : main).current?.focus();
        }}
      >
        {chatting ? "Skip to the question" : "Skip to the content"}
      </a>
      <header className="top">
        {room.menu ? null : (
          <button type="button" className="button quiet icon" onClick={() => setMenu(true)} aria-haspopup="dialog">
            <Icon name="menu" />
            <span className="sr-only">Menu</span>
          </button>
        )}
        <p className="brand">
          <Mark /> Plumbline
        </p>
        <p className="grow soft small where">{database}</p>
        <button
          type="button"
          className="button small quiet"
          aria-expanded={schemaOpen}
          onClick={() => setSchema(!schemaOpen)}
        >
          <Icon name="table" /> Tables
        </button>
      </header>
      <Drawer side="left" title="Menu" wide={room.menu} open={room.menu || menu} onClose={() => setMenu(false)}>
        <Sidebar
          databases={databases.data ?? []}
          database={database}
          onDatabase={changeDatabase}
          onNew={anew}
          onAsk={(question) => {
            setMenu(false);
            ask(question);
          }}
          onLeave={() => setMenu(false)}
          route={route}
          sessionId={sessionId}
          onDeleted={(id) => {
            if (id === sessionId) anew();
          }}
        />
      </Drawer>
      <main className="main" id="content" ref={main} tabIndex={-1}>
        {databases.error ? <ProblemView problem={asProblem(databases.error)} again={() => void databases.refetch()} /> : null}
        {route.view === "dashboard" ? <DashboardView /> : null}
        {route.view === "saved" ? <SavedView /> : null}
        {route.view === "shared" ? (
          <SharedView key={route.id} id={route.id} onAsk={(question, database) => go({ view: "ask", question, database })} />
        ) : null}
        {route.view === "reviews" ? <ReviewsView id={route.id} onOpen={(id) => go({ view: "reviews", id })} /> : null}
        {chatting ? (
          <>
            <div className="conversation" role="log" aria-label="Conversation" aria-live="off">
              {turns.length ? <h1 className="sr-only">Conversation about {database}</h1> : null}
              {problem ? <ProblemView problem={asProblem(problem)} again={anew} /> : null}
              {turns.length || problem ? null : (
                <Welcome
                  database={database}
                  questions={details.data?.questions ?? []}
                  shared={shared?.question ?? ""}
                  empty={hasNoRows(tables)}
                  onAsk={ask}
                />
              )}
              {turns.map((turn) => (
                <TurnView
                  key={turn.id}
                  turn={turn}
                  tables={tables}
                  dialect={dialect}
                  onAsk={busy ? setText : ask}
                  onRecall={conversation.recall}
                />
              ))}
            </div>
            <div className="ask">
              <Composer
                text={text}
                onText={setText}
                onAsk={() => ask(text)}
                onStop={conversation.cancel}
                busy={busy}
                ready={database !== "" && databases.isSuccess}
                follows={turns.length > 0}
                field={field}
                effort={effort}
                onEffort={(wanted) => {
                  setEffort(wanted);
                  localStorage.setItem(EFFORT, wanted);
                }}
              />
            </div>
          </>
        ) : null}
      </main>
      <Drawer side="right" title="Tables and docs" wide={room.schema} open={schemaOpen} onClose={() => setSchema(false)}>
        <SchemaPanel key={database} database={database} />
      </Drawer>
    </div>
  );
}

function Mark() {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <path d="M16 4v13" className="line" />
      <path d="M11.5 16.5h9v3.2L16 28l-4.5-8.3z" className="bob" />
    </svg>
  );
}
