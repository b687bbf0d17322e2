// A reviewer's decision. The query is tried first, so that the reviewer sees its rows before it is stored.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { asProblem, call } from "../api/client";
import type { ExecuteResponse, ReviewDetail } from "../api/types";
import { ProblemView } from "./ProblemView";
import { Ran } from "./SqlPanel";

type Decision = "approve" | "correct" | "reject";

interface Settled {
  review: ReviewDetail;
  rows: ExecuteResponse | null;
}

export function SettleForm({ review }: { review: ReviewDetail }) {
  const [sql, setSql] = useState(review.sql);
  const [comment, setComment] = useState("");
  const queries = useQueryClient();
  const changed = sql.trim() !== review.sql.trim();
  const settling = useMutation({
    mutationFn: ({ decision, preview }: { decision: Decision; preview: boolean }) =>
      call<Settled>(`reviews/${review.id}`, {
        method: "POST",
        body: { decision, comment, preview, ...(decision === "correct" ? { sql } : {}) },
        headers: { "if-match": `"${review.version}"` },
      }),
    onSuccess: async (_, { preview }) => {
      if (preview) return;
      await queries.invalidateQueries({ queryKey: ["reviews"] });
      await queries.invalidateQueries({ queryKey: ["review", review.id] });
    },
  });
  const take: Decision = changed ? "correct" : "approve";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    settling.mutate({ decision: take, preview: false });
  };
  const tried = settling.variables?.preview ? settling.data?.rows : null;
  return (
    <form className="panel stack" onSubmit={submit} aria-label="Decision">
      <label className="field">
        Query
        <textarea className="input mono" rows={5} spellCheck={false} value={sql} onChange={(event) => setSql(event.target.value)} />
      </label>
      <label className="field">
        Comment (optional)
        <input className="input" value={comment} maxLength={2000} onChange={(event) => setComment(event.target.value)} />
      </label>
      <div className="row">
        <button
          type="button"
          className="button small"
          disabled={settling.isPending || !sql.trim()}
          onClick={() => settling.mutate({ decision: take, preview: true })}
        >
          Preview
        </button>
        <button type="submit" className="button small primary" disabled={settling.isPending || !sql.trim()}>
          {changed ? "Correct" : "Approve"}
        </button>
        <button
          type="button"
          className="button small"
          disabled={settling.isPending}
          onClick={() => settling.mutate({ decision: "reject", preview: false })}
        >
          Reject
        </button>
        <span className="small soft">An approved or corrected query answers this question from now on.</span>
      </div>
      {settling.error ? <ProblemView problem={asProblem(settling.error)} /> : null}
      {tried ? <Ran ran={tried} database={review.database} name={review.question} /> : null}
    </form>
  );
}
