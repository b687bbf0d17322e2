// Saved queries that run on a schedule: the last number, chart or rows of each, and an alert if a number passes a bound.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { asProblem, call } from "../api/client";
import { useDashboard, useSchema } from "../api/queries";
import type { PutTile, Row, Tile } from "../api/types";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { ProblemView } from "../parts/ProblemView";
import { TileForm, type Wanted } from "../parts/TileForm";
import { UndoNotice } from "../parts/UndoNotice";
import { type Spec, useDrawn } from "../parts/useDrawn";
import { meanings } from "../state/columns";
import type { Meanings } from "../state/meaning";
import { describe } from "../state/describe";
import { cell, columnFormats, plural, span, when } from "../state/format";
import { rowsOf } from "../state/rows";
import { useDeletion } from "../state/useDeletion";

export function DashboardView() {
  const dashboard = useDashboard();
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: (id: string) => call(`dashboard/${id}`, { method: "DELETE", keepalive: true }),
    onSettled: (_, error, id) => {
      if (!error) queries.setQueryData<Tile[]>(["dashboard"], (tiles) => tiles?.filter((tile) => tile.id !== id));
      return queries.invalidateQueries({ queryKey: ["dashboard"] });
    },
  });
  const deletion = useDeletion(({ id }) => removing.mutate(id));
  const hidden = new Set([deletion.pending?.id, removing.isPending ? removing.variables : undefined]);
  const shown = dashboard.data?.filter((tile) => !hidden.has(tile.id));
  return (
    <div className="page wide">
      <h1>Dashboard</h1>
      {dashboard.error ? <ProblemView problem={asProblem(dashboard.error)} again={() => void dashboard.refetch()} /> : null}
      <UndoNotice deletion={deletion} />
      {removing.error ? <ProblemView problem={asProblem(removing.error)} /> : null}
      {shown?.length === 0 ? (
        <p className="soft">
          No tiles yet. Choose <em>Add to dashboard</em> next to one of your <a href="#/saved">saved queries</a>.
        </p>
      ) : null}
      <ul className="tiles">
        {shown?.map((tile) => (
          <li key={tile.id}>
            <TileView tile={tile} onRemove={() => deletion.request({ id: tile.id, name: tile.name })} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function TileView({ tile, onRemove }: { tile: Tile; onRemove: () => void }) {
  const [editing, setEditing] = useState(false);
  const queries = useQueryClient();
  const put = useMutation({
    mutationFn: (wanted: Wanted) => call<PutTile>(`dashboard/${tile.id}`, { method: "PUT", body: wanted }),
    onSuccess: (changed) => {
      queries.setQueryData<Tile[]>(["dashboard"], (tiles) => tiles?.map((one) => (one.id === tile.id ? changed : one)));
    },
  });
  const again = () => put.mutate({ minutes: tile.minutes, alert: tile.alert ?? null });
  return (
    <article className="panel stack tile" aria-label={tile.name}>
      <div className="row spread tile-head">
        <h2>{tile.name}</h2>
        <div className="row">
          <button type="button" className="button quiet icon small" disabled={put.isPending} onClick={again}>
            <Icon name="again" />
            <span className="sr-only">Refresh “{tile.name}”</span>
          </button>
          <button type="button" className="button quiet icon small" aria-expanded={editing} onClick={() => setEditing(!editing)}>
            <Icon name="edit" />
            <span className="sr-only">Edit “{tile.name}”</span>
          </button>
          <button type="button" className="button quiet icon small" onClick={onRemove}>
            <Icon name="trash" />
            <span className="sr-only">Remove “{tile.name}”</span>
          </button>
        </div>
      </div>
      <AlertLine tile={tile} />
      {editing ? (
        <TileForm
          tile={tile}
          busy={put.isPending}
          onPut={(wanted) => put.mutate(wanted, { onSuccess: () => setEditing(false) })}
          onCancel={() => setEditing(false)}
        />
      ) : null}
      {put.error ? <ProblemView problem={asProblem(put.error)} /> : null}
      {put.data?.secret ? <Secret secret={put.data.secret} /> : null}
      <Result tile={tile} />
      <p className="small soft" role="status">
        {tile.database} · {tile.last_run ? `updated ${when(tile.last_run.at)}` : "not run yet"} · every {span(tile.minutes * 60).replace(/^1 /, "")}
      </p>
      {tile.failed ? (
        <p className="small warned">
          {when(tile.failed.at)}: {tile.failed.problem}
        </p>
      ) : null}
    </article>
  );
}

function Result({ tile }: { tile: Tile }) {
  const run = tile.last_run;
  const rows = useMemo(() => (run ? rowsOf(run) : []), [run]);
  const schema = useSchema(tile.database);
  const named = useMemo(() => meanings(run?.columns ?? [], tile.sql, schema.data?.tables), [run, tile.sql, schema.data]);
  if (!run) return null;
  const [first, ...others] = run.columns;
  if (run.row_count === 0) return <p className="soft">No rows.</p>;
  if (run.row_count === 1 && first !== undefined && !others.length) {
    const value = rows[0]?.[first];
    return (
      <p className="tile-number">
        {value == null ? "—" : cell(value, columnFormats(run.columns, rows, named)[0])} <span className="small soft">{first.replaceAll("_", " ")}</span>
      </p>
    );
  }
  if (run.chart) return <Picture tile={tile.name} spec={run.chart.spec} columns={run.columns} rows={rows} named={named} />;
  return <FirstRows columns={run.columns} rows={rows} named={named} count={run.row_count} more={run.truncated ?? false} />;
}

interface PictureProps {
  tile: string;
  spec: Spec;
  columns: string[];
  rows: Row[];
  named: Meanings;
}

function Picture({ tile, spec, columns, rows, named }: PictureProps) {
  const headed = String(spec.title ?? "").toLowerCase() === tile.toLowerCase(); // the tile's name says it
  const { place, problem } = useDrawn(headed ? { ...spec, title: undefined } : spec, rows, named, 180);
  return (
    <>
      {problem ? <p className="warned small">{problem}</p> : null}
      <div className="chart-place" ref={place} role="img" aria-label={describe(spec, columns, rows, named)} />
    </>
  );
}

const SHOWN = 8;

interface FirstRowsProps {
  columns: string[];
  rows: Row[];
  named: Meanings;
  count: number;
  more: boolean;
}

function FirstRows({ columns, rows, named, count, more }: FirstRowsProps) {
  const formats = columnFormats(columns, rows, named);
  return (
    <div className="scrolled" tabIndex={0} role="region" aria-label="Rows">
      <table className="plain small">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className={rows.some((row) => typeof row[column] === "number") ? "number" : ""}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row, at) => (
            <tr key={at}>
              {columns.map((column, i) => (
                <td key={column} className={typeof row[column] === "number" ? "number" : ""}>
                  {row[column] == null ? <span className="null">–</span> : cell(row[column], formats[i])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {count > SHOWN || more ? (
        <p className="small soft">
          The first {Math.min(SHOWN, rows.length)} of {more ? "more than " : ""}
          {plural(count, "row")}.
        </p>
      ) : null}
    </div>
  );
}

function AlertLine({ tile }: { tile: Tile }) {
  const { alert, alert_state: state } = tile;
  if (!alert || !state) return null;
  return (
    <p className="row small">
      <span className={`tag ${state.passed ? "bad" : ""}`}>
        <Icon name="bell" /> {state.passed ? "Alert: " : ""}
        {alert.column} {alert.direction} {cell(alert.bound)}
      </span>
      {state.problem ? <span className="warned">{state.problem}</span> : null}
    </p>
  );
}

function Secret({ secret }: { secret: string }) {
  return (
    <div className="panel small stack" role="status">
      <p>The webhooks are signed with this secret. Copy it now; it is not shown again.</p>
      <p className="row">
        <code className="grow secret">{secret}</code>
        <CopyButton text={() => secret} label="Copy secret" />
      </p>
    </div>
  );
}
