// Uploads data: drop or choose a file, watch its progress, then see its report and an overview.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type DragEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { asProblem, ProblemError, send } from "../api/client";
import { useFirstLook, useReadReport } from "../api/queries";
import type { FirstLook, Uploaded, UploadRules } from "../api/types";
import { plural, span } from "../state/format";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";
import { ReadReportView } from "./ReadReportView";

const DAY_S = 86_400;

interface Props {
  rules: UploadRules;
  onAdded: (database: string) => void;
  onAsk: (question: string) => void;
}

/** The button and its dialog. Dropping files anywhere on the page opens it as well. */
export function AddData({ rules, onAdded, onAsk }: Props) {
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const dragged = (event: globalThis.DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) setOpen(true);
    };
    const kept = (event: globalThis.DragEvent) => event.preventDefault(); // else the browser shows the file instead
    window.addEventListener("dragenter", dragged);
    window.addEventListener("dragover", kept);
    window.addEventListener("drop", kept);
    return () => {
      window.removeEventListener("dragenter", dragged);
      window.removeEventListener("dragover", kept);
      window.removeEventListener("drop", kept);
    };
  }, []);
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="upload" />
        Add data
      </button>
      {open ? <AddDialog rules={rules} onAdded={onAdded} onAsk={onAsk} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function AddDialog({ rules, onAdded, onAsk, onClose }: Props & { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const stopped = useRef(new AbortController());
  const [share, setShare] = useState(0);
  const [over, setOver] = useState(false);
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: async (file: File) => {
      const refused = refusal(file, rules);
      if (refused) throw refused;
      setShare(0);
      stopped.current = new AbortController();
      const path = `databases?file=${encodeURIComponent(file.name)}`;
      return send<Uploaded>(path, file, setShare, stopped.current.signal);
    },
    onSuccess: async (taken) => {
      await queries.invalidateQueries({ queryKey: ["databases"] });
      onAdded(taken.name);
    },
  });
  useEffect(() => {
    dialog.current?.showModal();
    return () => stopped.current.abort();
  }, []);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file && !sending.isPending) sending.mutate(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const failed = sending.error && !(sending.error instanceof DOMException) ? asProblem(sending.error) : null;
  return (
    <dialog ref={dialog} className="add-dialog" aria-labelledby="add-title" onClose={onClose}>
      <div className="stack">
        <div className="row spread">
          <h2 id="add-title">{sending.data ? `${sending.data.name} was added` : "Add data"}</h2>
          <button type="button" className="button quiet icon" onClick={() => dialog.current?.close()}>
            <Icon name="cross" />
            <span className="sr-only">Close</span>
          </button>
        </div>
        {sending.data ? (
          <Added
            database={sending.data.name}
            onAsk={(question) => {
              dialog.current?.close();
              onAsk(question);
            }}
          />
        ) : (
          <>
            <label
              className={over ? "drop over" : "drop"}
              onDragEnter={() => setOver(true)}
              onDragLeave={() => setOver(false)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={drop}
            >
              <Icon name="upload" />
              <span>Drop a file here, or choose one</span>
              <span className="small soft">
                {rules.types.join(", ")}; at most {megabytes(rules.max_bytes)}. Pack several files as .zip.
              </span>
              <input
                type="file"
                accept={rules.types.map((type) => `.${type}`).join(",")}
                disabled={sending.isPending}
                onChange={(event) => take(event.target.files)}
              />
            </label>
            {sending.isPending ? (
              <div className="row">
                <progress className="grow" max={1} value={share} aria-label="Sent" />
                <span className="small" role="status">
                  {share < 1 ? `${Math.floor(share * 100)}% sent` : "Reading the data…"}
                </span>
                <button type="button" className="button small" onClick={() => stopped.current.abort()}>
                  Cancel
                </button>
              </div>
            ) : null}
            {failed ? <ProblemView problem={failed} /> : null}
            <p className="small soft">
              Only you can see what you add. It is deleted after {span(rules.days * DAY_S)}, or when you delete it.
            </p>
          </>
        )}
      </div>
    </dialog>
  );
}

function Added({ database, onAsk }: { database: string; onAsk: (question: string) => void }) {
  const look = useFirstLook(database);
  const report = useReadReport(database);
  return (
    <>
      {look.isPending ? <p role="status">Looking at the data…</p> : null}
      {look.error ? <ProblemView problem={asProblem(look.error)} again={() => void look.refetch()} /> : null}
      {look.data ? <LookView look={look.data} onAsk={onAsk} /> : null}
      {report.error ? <ProblemView problem={asProblem(report.error)} again={() => void report.refetch()} /> : null}
      {report.data?.tables.length || report.data?.problems.length ? (
        <details>
          <summary>How it was read</summary>
          <ReadReportView report={report.data} />
        </details>
      ) : null}
    </>
  );
}

export function LookView({ look, onAsk }: { look: FirstLook; onAsk: (question: string) => void }) {
  return (
    <>
      <ul className="look" aria-label="Tables">
        {look.tables.map((table) => (
          <li key={table.name}>
            <span className="mono">{table.name}</span>{" "}
            <span className="small soft">
              {table.rows == null ? "" : `${plural(table.rows, "row")}, `}
              {plural(table.columns, "column")}
              {table.primary_key.length ? `; key ${table.primary_key.join(", ")}` : ""}
              {table.foreign_keys.map((key) => `; ${key.columns.join(", ")} → ${key.table}`).join("")}
            </span>
          </li>
        ))}
      </ul>
      {look.questions.length ? (
        <>
          <p className="small soft">Questions to begin with; each of them has an answer:</p>
          <ul className="samples" aria-label="Questions to begin with">
            {look.questions.map((question) => (
              <li key={question}>
                <button type="button" onClick={() => onAsk(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p className="small soft">Ask a question about it below.</p>
      )}
    </>
  );
}

/** Why a file cannot be uploaded; null if it can. */
export function refusal(file: { name: string; size: number }, rules: UploadRules): ProblemError | null {
  const problem = (detail: string) =>
    new ProblemError({ type: "urn:plumbline:page:refused", title: "This file cannot be added", status: 0, detail });
  if (!rules.types.some((type) => file.name.toLowerCase().endsWith(`.${type}`)))
    return problem(`${file.name} cannot be uploaded. Supported types: ${rules.types.join(", ")}.`);
  if (file.size > rules.max_bytes)
    return problem(`${file.name} is larger than ${megabytes(rules.max_bytes)}. Choose a smaller file, or compress it (.zip, .csv.gz).`);
  return null;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
