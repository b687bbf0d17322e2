// The caller's saved queries: run, copy, edit or delete them.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem, call } from "../api/client";
import { useDashboard, useSaved } from "../api/queries";
import type { ExecuteResponse, PutTile, SavedQuery } from "../api/types";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { ProblemView } from "../parts/ProblemView";
import { Sql } from "../parts/Sql";
import { Ran } from "../parts/SqlPanel";
import { UndoNotice } from "../parts/UndoNotice";
import { when } from "../state/format";
import { useDeletion } from "../state/useDeletion";

export function SavedView() {
  const saved = useSaved();
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: (id: string) => call(`saved/${id}`, { method: "DELETE", keepalive: true }),
    onSettled: (_, error, id) => {
      if (!error) queries.setQueryData<SavedQuery[]>(["saved"], (list) => list?.filter((query) => query.id !== id));
      return queries.invalidateQueries({ queryKey: ["saved"] });
    },
  });
  const deletion = useDeletion(({ id }) => deleting.mutate(id));
  const hidden = new Set([deletion.pending?.id, deleting.isPending ? deleting.variables : undefined]);
  const shown = saved.data?.filter((query) => !hidden.has(query.id));
  return (
    <div className="page">
      <h1>Saved queries</h1>
      {saved.error ? <ProblemView problem={asProblem(saved.error)} again={() => void saved.refetch()} /> : null}
      <UndoNotice deletion={deletion} />
      {deleting.error ? <ProblemView problem={asProblem(deleting.error)} /> : null}
      {shown?.length === 0 ? <p className="soft">No saved queries yet. Save a query from the SQL tab of an answer.</p> : null}
      <ul className="stack">
        {shown?.map((query) => (
          <li key={query.id}>
            <Saved query={query} onDelete={() => deletion.request({ id: query.id, name: query.name })} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Saved({ query, onDelete }: { query: SavedQuery; onDelete: () => void }) {
  const [values, setValues] = useState(() => parametersOf(query));
  const run = useMutation({
    mutationFn: () =>
      call<ExecuteResponse>(`saved/${query.id}/run`, { method: "POST", body: { parameters: parameters(query, values) } }),
  });
  return (
    <article className="panel stack" aria-label={query.name}>
      <div className="row spread">
        <div>
          <h2>{query.name}</h2>
          <p className="small soft">
            {query.database} · {when(query.updated_at)}
          </p>
        </div>
        <div className="row">
          <button type="button" className="button small" disabled={run.isPending} onClick={() => run.mutate()}>
            <Icon name="play" /> {run.isPending ? "Running…" : "Run"}
          </button>
          <CopyButton text={() => query.sql} label="Copy" />
          <ToDashboard id={query.id} />
          <button type="button" className="button small quiet" onClick={onDelete}>
            <Icon name="trash" /> Delete
          </button>
        </div>
      </div>
      {query.question && query.question !== query.name ? <p>{query.question}</p> : null}
      <Sql text={query.sql} dialect="" />
      {values.length ? (
        <div className="row">
          {values.map(([name, value], at) => (
            <label key={name} className="field">
              {name}
              <input
                className="input"
                value={value}
                onChange={(event) => setValues(values.map((one, i) => (i === at ? [name, event.target.value] : one)))}
              />
            </label>
          ))}
        </div>
      ) : null}
      {run.error ? <ProblemView problem={asProblem(run.error)} /> : null}
      {run.data ? <Ran ran={run.data} database={query.database} name={query.name} /> : null}
    </article>
  );
}

function ToDashboard({ id }: { id: string }) {
  const tiles = useDashboard();
  const queries = useQueryClient();
  const put = useMutation({
    mutationFn: () => call<PutTile>(`dashboard/${id}`, { method: "PUT", body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["dashboard"] }),
  });
  if (tiles.data?.some((tile) => tile.id === id))
    return (
      <a className="button small quiet" href="#/dashboard">
        <Icon name="grid" /> On the dashboard
      </a>
    );
  return (
    <>
      <button type="button" className="button small quiet" disabled={put.isPending} onClick={() => put.mutate()}>
        <Icon name="grid" /> Add to dashboard
      </button>
      {put.error ? <ProblemView problem={asProblem(put.error)} /> : null}
    </>
  );
}

type Values = [name: string, value: string][];

function parametersOf(query: SavedQuery): Values {
  return Object.entries(query.parameters ?? {}).map(([name, value]) => [name, value === null ? "" : String(value)]);
}

/** The typed values, each converted to the type that was saved. */
function parameters(query: SavedQuery, values: Values): unknown {
  const known = query.parameters;
  if (!known) return null;
  const typed = values.map(([name, text]): [string, unknown] => {
    const before = (known as Record<string, unknown>)[name];
    if (typeof before === "number" && text.trim() !== "" && !Number.isNaN(Number(text))) return [name, Number(text)];
    return [name, before === null && text === "" ? null : text];
  });
  return Array.isArray(known) ? typed.map(([, value]) => value) : Object.fromEntries(typed);
}
