// The tabs below an answer, or below one query of several: its rows, the chart, the SQL and the records behind it.
import { useMemo } from "react";
import type { Answer, Table } from "../api/types";
import { firstWish } from "../state/chart";
import { meaningsOf } from "../state/columns";
import { count, plural } from "../state/format";
import { ChartView } from "./ChartView";
import { ExportMenu } from "./ExportMenu";
import { RecordsPanel } from "./RecordsPanel";
import { type Marked, RowsTable } from "./RowsTable";
import { SqlPanel } from "./SqlPanel";
import type { Tab } from "./Tabs";

interface TabsOf {
  answer: Answer;
  question: string;
  database: string;
  tables: Table[];
  marked: (Marked & { source: string }) | null;
  group: number | null;
  onRecords: ((row: number | null) => void) | undefined;
}

export function useTabs({ answer, question, database, tables, marked, group, onRecords }: TabsOf): Tab[] {
  const drawable = useMemo(() => answer.chart !== null || firstWish(answer.columns, answer.results) !== null, [answer]);
  const named = useMemo(() => meaningsOf(answer, tables), [answer, tables]);
  const name = answer.question || question;
  const tabs: Tab[] = [];
  if (answer.results.length || (answer.status === "success" && needsRows(answer)))
    tabs.push({
      id: "rows",
      title: `Rows ${count(answer.row_count)}${answer.truncated ? "+" : ""}`,
      panel: () => (
        <>
          <Kept kept={answer.results.length} of={answer.row_count} />
          <RowsTable
            columns={answer.columns}
            rows={answer.results}
            label="Rows of the answer"
            named={named}
            marked={marked?.source === "rows" ? marked : null}
            {...(onRecords ? { onRow: onRecords } : {})}
          />
          {answer.sql ? <ExportMenu database={database} sql={answer.sql} name={name} /> : null}
        </>
      ),
    });
  if (drawable)
    tabs.push({
      id: "chart",
      title: "Chart",
      panel: () => (
        <ChartView chart={answer.chart ?? null} columns={answer.columns} rows={answer.results} named={named} name={name} />
      ),
    });
  if (answer.sql)
    tabs.push({
      id: "sql",
      title: "SQL",
      panel: () => (
        <SqlPanel
          sql={answer.sql ?? ""}
          explanation={answer.explanation}
          question={name}
          database={database}
          dialect={answer.dialect ?? ""}
          tables={tables}
        />
      ),
    });
  if (answer.raw_sql)
    tabs.push({
      id: "records",
      title: `Source records ${howMany(answer)}`,
      panel: () => (
        <RecordsPanel
          answer={answer}
          database={database}
          tables={tables}
          named={named}
          name={name}
          marked={marked?.source === "records" ? marked : null}
          row={group === null ? null : (answer.results[group] ?? null)}
          onAll={() => onRecords?.(null)}
        />
      ),
    });
  return tabs;
}

/** How many records there are, as far as it is known. */
function howMany(answer: Answer): string {
  if (answer.raw_total != null) return count(answer.raw_total);
  return `${count(answer.raw_results.length)}${answer.raw_truncated ? "+" : ""}`;
}

/** Small talk and answers about the data need no rows; those of several queries are in its parts. */
function needsRows(answer: Answer): boolean {
  return answer.kind !== "small_talk" && answer.kind !== "about_data" && !answer.parts.length;
}

/** Of an earlier answer, not every row may be stored. */
function Kept({ kept, of }: { kept: number; of: number }) {
  return kept < of ? (
    <p className="small soft">
      {kept ? `Only the first ${count(kept)} of ${plural(of, "row")} were stored.` : "The rows were not stored."} For all current
      rows, run the query again on the SQL tab.
    </p>
  ) : null;
}
