// The queries of an answer that needed several: each with its question, its rows, its SQL and its checks.
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Answer, AnswerPart, Table } from "../api/types";
import { answerOfPart } from "../state/columns";
import type { AnswerNumber } from "../state/numbers";
import { Checks } from "./Checks";
import { Icon } from "./Icon";
import type { Marked } from "./RowsTable";
import { Tabs } from "./Tabs";
import { useTabs } from "./useTabs";

/** The number of the answer whose records are shown. */
export interface ShownPart {
  number: AnswerNumber;
  at: number;
}

interface Props {
  answer: Answer;
  database: string;
  tables: Table[];
  shown: ShownPart | null;
}

export function PartsView({ answer, database, tables, shown }: Props) {
  return (
    <ol className="parts" aria-label="Queries">
      {answer.parts.map((part) => (
        <li key={part.number}>
          <PartView
            part={part}
            whole={answer}
            database={database}
            tables={tables}
            shown={shown?.number.part === part.number ? shown : null}
          />
        </li>
      ))}
    </ol>
  );
}

interface PartProps extends Omit<Props, "answer"> {
  part: AnswerPart;
  whole: Answer;
}

function PartView({ part, whole, database, tables, shown }: PartProps) {
  const answer = useMemo(() => answerOfPart(whole, part), [whole, part]);
  const [open, setOpen] = useState(part.status === "error");
  const [tab, setTab] = useState("rows");
  const [marked, setMarked] = useState<(Marked & { source: string }) | null>(null);
  const [group, setGroup] = useState<number | null>(null);
  const records = useCallback((row: number | null) => {
    setGroup(row);
    setTab("records");
  }, []);
  useEffect(() => {
    if (!shown) return;
    const { row, column, source } = shown.number;
    const place = source === "raw" ? "records" : "rows";
    setOpen(true);
    setTab(place);
    setGroup(null);
    if (row != null) setMarked({ row, column: column ?? null, at: shown.at, source: place });
  }, [shown]);
  const onRecords = part.raw_sql && part.group_columns ? records : undefined;
  const tabs = useTabs({ answer, question: part.question, database, tables, marked, group, onRecords });
  return (
    <details className="part" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="soft">[{part.number}]</span> {part.question} <Standing part={part} />
      </summary>
      {open ? (
        <div className="part-body">
          {part.status === "error" ? <p className="answer-text" dir="auto">{part.answer}</p> : null}
          <Checks checks={part.checks} doubts={part.doubts} confidence={part.confidence ?? null} verified={part.verified} />
          {tabs.length ? <Tabs tabs={tabs} chosen={tab} onChoose={setTab} label={`Details of query ${part.number}`} /> : null}
        </div>
      ) : null}
    </details>
  );
}

function Standing({ part }: { part: AnswerPart }) {
  if (part.status === "error") return <span className="tag bad">No answer</span>;
  return part.verified ? (
    <span className="tag good">
      <Icon name="check" /> Verified
    </span>
  ) : (
    <span className="tag warn">
      <Icon name="warning" /> Not verified
    </span>
  );
}
