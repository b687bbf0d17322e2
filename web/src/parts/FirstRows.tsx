// The first rows of a query as soon as they arrive, before the verdict and the sentence.
import type { Table } from "../api/types";
import { meanings } from "../state/columns";
import { cell, columnFormat, plural } from "../state/format";

const SHOWN = 5;

interface Props {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  total: number;
  /** The query, and the tables that it reads. */
  sql: string;
  tables: Table[];
}

export function FirstRows({ columns, rows, total, sql, tables }: Props) {
  if (!rows.length) return null;
  const named = meanings([...columns], sql, tables);
  const formats = columns.map((name, at) => columnFormat(name, rows.map((row) => row[at]), named[name]));
  return (
    <div className="scroller first-rows" role="region" aria-label="First rows" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name, at) => (
              <th key={at} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row, place) => (
            <tr key={place}>
              {row.map((value, at) => (
                <td key={at} className={typeof value === "number" ? "number" : undefined}>
                  {value == null ? <span className="null">–</span> : cell(value, formats[at])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {total > SHOWN ? <p className="small soft">and {plural(total - SHOWN, "more row")}</p> : null}
    </div>
  );
}
