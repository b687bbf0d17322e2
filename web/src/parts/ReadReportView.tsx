// How the files of a database were read: the type of each column, and its unusual values.
import { Fragment } from "react";
import type { ReadReport, TableReport } from "../api/types";
import { count, plural } from "../state/format";

const DELIMITERS: Record<string, string> = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar" };

export function ReadReportView({ report }: { report: ReadReport }) {
  return (
    <div className="stack read-report">
      {report.problems.map((problem) => (
        <p key={problem} className="small warned">
          {problem}
        </p>
      ))}
      {report.tables.map((table) => (
        <section key={table.table} aria-label={`How ${table.table} was read`}>
          <h3 className="mono">{table.table}</h3>
          <p className="small soft">{howRead(table).join(" · ")}</p>
          <div className="scrolled" tabIndex={0} role="group" aria-label={`Columns of ${table.table}`}>
            <table className="plain small">
              <thead>
                <tr>
                  <th scope="col">Column</th>
                  <th scope="col">Type</th>
                  <th scope="col" className="number">
                    Values
                  </th>
                  <th scope="col" className="number">
                    Empty
                  </th>
                </tr>
              </thead>
              <tbody>
                {table.columns.map((column) => (
                  <Fragment key={column.name}>
                    <tr className={isNoted(column) ? "noted" : ""}>
                      <th scope="row" className="mono">
                        {column.name}
                      </th>
                      <td>{column.type.toLowerCase()}</td>
                      <td className="number">{column.values == null ? "not counted" : count(column.values)}</td>
                      <td className="number">{column.empty == null ? "" : count(column.empty)}</td>
                    </tr>
                    {isNoted(column) ? (
                      <tr>
                        <td colSpan={4} className="soft">
                          {column.note}{" "}
                          {column.unlike ? (
                            <span className="warned">
                              Kept as text: not {column.like}: {count(column.unlike)} of {count(column.values ?? 0)} values.
                            </span>
                          ) : null}
                        </td>
                      </tr>
                    ) : null}
                  </Fragment>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      ))}
    </div>
  );
}

function isNoted(column: TableReport["columns"][number]): boolean {
  return Boolean(column.note || column.unlike);
}

/** Remarks on a whole table. */
export function howRead(table: TableReport): string[] {
  const [first] = table.files;
  return [
    table.files.length === 1 ? (first ?? "") : plural(table.files.length, "file"),
    table.rows == null ? "rows not counted" : plural(table.rows, "row"),
    table.encoding,
    table.delimiter && `${DELIMITERS[table.delimiter] ?? table.delimiter} between fields`,
    table.decimal === "," ? "decimal comma" : "",
  ].filter((one): one is string => Boolean(one));
}
