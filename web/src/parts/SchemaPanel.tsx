// The tables and columns of a database with their docs, and a search.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useDeferredValue, useMemo, useState } from "react";
import { asProblem, call } from "../api/client";
import { useDocuments, useReadReport, useSchema } from "../api/queries";
import type { Document, Table } from "../api/types";
import { plural } from "../state/format";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";
import { ReadReportView } from "./ReadReportView";

interface Shown {
  table: Table;
  notes: string[];
  columns: { column: Table["columns"][number]; notes: string[]; key: string }[];
}

/** The tables that match a search: by name, column or docs. */
export function searched(tables: Table[], documents: Document[], search: string): Shown[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const hit = (...texts: string[]) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const notesOf = (table: string, column: string) =>
    documents.filter((one) => one.table === table && one.column === column && one.kind !== "query").map((one) => one.text);
  const found: Shown[] = [];
  for (const table of tables) {
    const notes = notesOf(table.name, "");
    const columns = table.columns.map((column) => ({
      column,
      notes: notesOf(table.name, column.name),
      key: keyOf(table, column.name),
    }));
    const whole = hit(table.name, table.comment, ...notes);
    const left = whole ? columns : columns.filter((one) => hit(table.name, one.column.name, one.column.comment, ...one.notes));
    if (whole || left.length) found.push({ table, notes, columns: left });
  }
  return found;
}

function keyOf(table: Table, column: string): string {
  if (table.primary_key.includes(column)) return "key";
  const foreign = table.foreign_keys.find((one) => one.columns.includes(column));
  return foreign ? `→ ${foreign.table}` : "";
}

export function SchemaPanel({ database }: { database: string }) {
  const schema = useSchema(database);
  const documents = useDocuments(database);
  const [search, setSearch] = useState("");
  const deferred = useDeferredValue(search);
  const shown = useMemo(
    () => searched(schema.data?.tables ?? [], documents.data ?? [], deferred),
    [schema.data, documents.data, deferred],
  );
  const said = (table: string, column: string) =>
    documents.data?.find((one) => one.added && one.kind === "column" && one.table === table && one.column === column)
      ?.text ?? "";
  const rules = (documents.data ?? []).filter(
    (one) => one.kind === "rule" && !one.table && one.text.toLowerCase().includes(deferred.toLowerCase()),
  );
  return (
    <div className="schema">
      <label className="sr-only" htmlFor="schema-search">
        Search tables, columns and docs
      </label>
      <input
        id="schema-search"
        type="search"
        className="input"
        placeholder="Search tables, columns, docs"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <p className="small soft" role="status">
        {schema.isPending ? "Reading the schema…" : deferred ? `${plural(shown.length, "table")} found` : plural(shown.length, "table")}
      </p>
      {schema.error ? <ProblemView problem={asProblem(schema.error)} again={() => void schema.refetch()} /> : null}
      {schema.data?.warnings.map((warning) => (
        <p key={warning} className="small warned">
          {warning}
        </p>
      ))}
      <ul className="tables">
        {shown.map((one) => (
          <li key={one.table.name}>
            <details open={deferred !== "" && shown.length < 8} key={deferred}>
              <summary>
                <span className="mono">{one.table.name}</span>
                {one.table.row_count === null || one.table.row_count === undefined ? null : (
                  <span className="small soft">{plural(one.table.row_count, "row")}</span>
                )}
              </summary>
              {one.notes.map((note) => (
                <p key={note} className="small soft">
                  {note}
                </p>
              ))}
              <dl>
                {one.columns.map(({ column, notes, key }) => (
                  <div key={column.name} className="column">
                    <dt>
                      <span className="mono">{column.name}</span>
                      <span className="soft small">{column.type.toLowerCase()}</span>
                      {key ? <span className="tag">{key}</span> : null}
                    </dt>
                    <dd className="small soft">
                      {notes.map((note) => (
                        <p key={note}>{note}</p>
                      ))}
                      <Describe database={database} table={one.table.name} column={column.name} said={said(one.table.name, column.name)} />
                      {column.samples.length ? <p className="samples">e.g. {column.samples.slice(0, 4).join(", ")}</p> : null}
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          </li>
        ))}
      </ul>
      <HowRead database={database} />
      {rules.length ? (
        <details className="rules" open={deferred !== ""} key={`rules${deferred}`}>
          <summary>Rules and terms</summary>
          <ul className="small">
            {rules.map((rule) => (
              <li key={rule.id}>{rule.text}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}

/** Edits a column's description in place. The next question uses it. */
function Describe({ database, table, column, said }: { database: string; table: string; column: string; said: string }) {
  const queries = useQueryClient();
  const [text, setText] = useState<string | null>(null);
  const saving = useMutation({
    mutationFn: (wanted: string) =>
      call(`databases/${encodeURIComponent(database)}/columns`, { method: "PUT", body: { table, column, text: wanted } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["documents", database] });
      setText(null);
    },
  });
  if (text === null)
    return (
      <button type="button" className="button quiet small describe" onClick={() => setText(said)}>
        <Icon name="edit" />
        {said ? "Edit" : "Describe"}
        <span className="sr-only"> {column}</span>
      </button>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate(text);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field">
        Meaning of {column}
        <textarea
          className="input"
          rows={2}
          maxLength={2000}
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <div className="row">
        <button type="submit" className="button small primary" disabled={saving.isPending}>
          Save
        </button>
        <button type="button" className="button small quiet" onClick={() => setText(null)}>
          Cancel
        </button>
      </div>
      {saving.error ? <ProblemView problem={asProblem(saving.error)} /> : null}
    </form>
  );
}

/** The report of how files were read. Loaded when it is opened. */
function HowRead({ database }: { database: string }) {
  const [open, setOpen] = useState(false);
  const report = useReadReport(open ? database : "");
  return (
    <details className="rules" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>How it was read</summary>
      {report.error ? <ProblemView problem={asProblem(report.error)} again={() => void report.refetch()} /> : null}
      {report.data?.tables.length || report.data?.problems.length ? <ReadReportView report={report.data} /> : null}
      {report.data && !report.data.tables.length ? <p className="small soft">This database is queried directly. No files were converted.</p> : null}
    </details>
  );
}
