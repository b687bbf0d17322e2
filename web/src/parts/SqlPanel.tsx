// The query of an answer: read, copied, edited, run again through the same guard, and saved under a name.
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { asProblem, call } from "../api/client";
import type { ExecuteResponse, Table } from "../api/types";
import { duration, plural } from "../state/format";
import { rowsOf } from "../state/rows";
import { CopyButton } from "./CopyButton";
import { ExportMenu } from "./ExportMenu";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";
import { RowsTable } from "./RowsTable";
import { SaveForm } from "./SaveForm";
import { Sql } from "./Sql";
import type { Given } from "./SqlEditor";

const Editor = lazy(() => import("./SqlEditor"));

interface Props {
  sql: string;
  explanation: string;
  question: string;
  database: string;
  dialect: string;
  tables: Table[];
}

export function SqlPanel({ sql, explanation, question, database, dialect, tables }: Props) {
  const [text, setText] = useState(sql);
  const [given, setGiven] = useState<Given>({ text: sql });
  const put = (laid: string) => {
    setText(laid);
    setGiven({ text: laid });
  };
  const own = useRef([sql]); // the answer's query, as it came and as it is laid out
  const [saving, setSaving] = useState(false);
  const names = useMemo(
    () => Object.fromEntries(tables.map((table) => [table.name, table.columns.map((column) => column.name)])),
    [tables],
  );
  const lay = async (given: string) => {
    const { pretty } = await import("./pretty");
    return pretty(given, dialect);
  };
  useEffect(() => {
    let current = true;
    void import("./pretty").then(({ pretty }) => {
      if (!current) return;
      own.current = [sql, pretty(sql, dialect)];
      put(pretty(sql, dialect));
    });
    return () => {
      current = false;
    };
  }, [sql, dialect]);

  const run = useMutation({
    mutationFn: (asked: string) => call<ExecuteResponse>("execute", { method: "POST", body: { database, sql: asked } }),
  });
  const isExplained = run.variables === undefined || own.current.includes(run.variables); // of another query, nothing is known
  return (
    <div className="sql-panel">
      {explanation && isExplained ? <p className="explanation">{explanation}</p> : null}
      <Suspense fallback={<Sql text={text} dialect={dialect} />}>
        <Editor given={given} onText={setText} onRun={() => run.mutate(text)} dialect={dialect} tables={names} />
      </Suspense>
      <div className="row">
        <button type="button" className="button small" disabled={run.isPending || !text.trim()} onClick={() => run.mutate(text)}>
          <Icon name="play" />
          {run.isPending ? "Running…" : "Run"}
        </button>
        <CopyButton text={() => text} label="Copy" />
        <button type="button" className="button small quiet" onClick={() => void lay(text).then(put)}>
          Format
        </button>
        <button type="button" className="button small quiet" aria-expanded={saving} onClick={() => setSaving(!saving)}>
          <Icon name="save" />
          Save
        </button>
        <span className="small soft">Read-only and limited, like every query here.</span>
      </div>
      {saving ? (
        <SaveForm database={database} sql={text} question={question} onDone={() => setSaving(false)} />
      ) : null}
      {run.error ? <ProblemView problem={asProblem(run.error)} /> : null}
      {run.data ? <Ran ran={run.data} database={database} name={question} /> : null}
    </div>
  );
}

/** Rows of a query that the reader ran. */
export function Ran({ ran, database, name }: { ran: ExecuteResponse; database: string; name: string }) {
  const rows = useMemo(() => rowsOf(ran), [ran]);
  return (
    <div className="ran">
      <div className="row spread">
        <p className="small soft" role="status">
          {ran.truncated ? "More than " : ""}
          {plural(ran.row_count, "row")} in {duration(ran.elapsed_ms)}
        </p>
        <ExportMenu database={database} sql={ran.sql} name={name} />
      </div>
      {ran.warnings.map((warning) => (
        <p key={warning} className="small warned">
          {warning}
        </p>
      ))}
      <RowsTable columns={ran.columns} rows={rows} label="Rows of this query" />
    </div>
  );
}
