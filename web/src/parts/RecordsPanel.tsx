// The records behind an answer: of all its rows, or of one row.
import { useMemo } from "react";
import { asProblem } from "../api/client";
import { useRecords } from "../api/queries";
import type { Answer, Row, Table } from "../api/types";
import { meaningsOfRecords } from "../state/columns";
import type { Meanings } from "../state/meaning";
import { cell, columnFormat, count, plural } from "../state/format";
import { rowsOf } from "../state/rows";
import { ExportMenu } from "./ExportMenu";
import { ProblemView } from "./ProblemView";
import { type Marked, RowsTable } from "./RowsTable";

interface Props {
  answer: Answer;
  database: string;
  tables: Table[];
  /** Which columns of the answer are months or years. */
  named: Meanings;
  name: string;
  marked: Marked | null;
  /** The row whose records are shown; null: those of all rows. */
  row: Row | null;
  onAll: () => void;
}

export function RecordsPanel({ marked, row, ...shared }: Props) {
  const { answer, database, tables, name } = shared;
  const columns = useMemo(() => Object.keys(answer.raw_results[0] ?? {}), [answer]);
  const named = useMemo(() => meaningsOfRecords(columns, tables), [columns, tables]);
  if (row) return <OfRow {...shared} row={row} />;
  return (
    <>
      <HowMany shown={answer.raw_results.length} total={answer.raw_total ?? null} more={answer.raw_truncated} />
      <RowsTable
        columns={columns}
        rows={answer.raw_results}
        label="Source records"
        named={named}
        marked={marked}
      />
      <ExportMenu database={database} sql={answer.raw_sql ?? ""} name={`${name} records`} />
    </>
  );
}

function OfRow({ answer, database, tables, named, name, row, onAll }: Omit<Props, "marked" | "row"> & { row: Row }) {
  const found = useRecords(database, answer.sql ?? "", row);
  const rows = useMemo(() => (found.data ? rowsOf(found.data) : []), [found.data]);
  const records = useMemo(() => meaningsOfRecords(found.data?.columns ?? [], tables), [found.data, tables]);
  const group = (answer.group_columns ?? []).map((key) => {
    const format = columnFormat(key, answer.results.map((one) => one[key]), named[key]);
    return `${key}: ${row[key] === null ? "–" : cell(row[key], format)}`;
  });
  return (
    <>
      <p className="row small">
        <span className="tag">{group.join(", ")}</span>
        <button type="button" className="button small quiet" onClick={onAll}>
          All source records
        </button>
      </p>
      {found.isPending ? <p className="small soft">Loading records…</p> : null}
      {found.error ? <ProblemView problem={asProblem(found.error)} /> : null}
      {found.data?.reason ? <p className="small warned">There are no records to show: {found.data.reason}.</p> : null}
      {found.data?.sql ? (
        <>
          <HowMany shown={found.data.row_count} total={found.data.total ?? null} more={found.data.truncated} />
          <RowsTable
            columns={found.data.columns}
            rows={rows}
            label={`Records of ${group.join(", ")}`}
            named={records}
          />
          <ExportMenu database={database} sql={found.data.sql} name={`${name} records`} />
        </>
      ) : null}
    </>
  );
}

function HowMany({ shown, total, more }: { shown: number; total: number | null; more: boolean }) {
  if (total !== null && total > shown)
    return (
      <p className="small soft">
        Showing the first {count(shown)} of {plural(total, "record")}.
      </p>
    );
  return more ? <p className="small soft">Showing the first {plural(shown, "record")}. There are more.</p> : null;
}
