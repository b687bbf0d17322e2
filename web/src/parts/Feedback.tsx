// Thumbs up or down, optionally with the right query and a comment for reviewers.
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { asProblem, call } from "../api/client";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";

interface Said {
  correct: boolean;
  corrected_sql?: string;
  comment?: string;
}

export function Feedback({ answerId }: { answerId: string }) {
  const [wrong, setWrong] = useState(false);
  const [sql, setSql] = useState("");
  const [comment, setComment] = useState("");
  const giving = useMutation({
    mutationFn: (said: Said) =>
      call<{ status: string }>("feedback", { method: "POST", body: { answer_id: answerId, ...said } }),
    onSuccess: () => setWrong(false),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    giving.mutate({ correct: false, corrected_sql: sql, comment });
  };
  const told = giving.data && giving.variables;
  return (
    <div className="feedback">
      <div className="row" role="group" aria-label="Is this answer correct?">
        <button
          type="button"
          className="button small quiet icon"
          aria-pressed={told ? told.correct : false}
          disabled={giving.isPending}
          onClick={() => giving.mutate({ correct: true })}
        >
          <Icon name="up" />
          <span className="sr-only">Mark as correct</span>
        </button>
        <button
          type="button"
          className="button small quiet icon"
          aria-pressed={told ? !told.correct : false}
          aria-expanded={wrong}
          disabled={giving.isPending}
          onClick={() => setWrong(!wrong)}
        >
          <Icon name="thumbDown" />
          <span className="sr-only">Mark as incorrect</span>
        </button>
        <span role="status" className="small soft">
          {told ? (giving.data.status === "open" ? "Thank you. A reviewer will look at this answer." : "Thank you. Your feedback is saved.") : ""}
        </span>
      </div>
      {wrong ? (
        <form className="panel stack" onSubmit={submit}>
          <label className="field">
            What is wrong? (optional)
            <textarea className="input" value={comment} maxLength={2000} onChange={(event) => setComment(event.target.value)} />
          </label>
          <label className="field">
            Correct query (optional)
            <textarea className="input mono" value={sql} spellCheck={false} onChange={(event) => setSql(event.target.value)} />
          </label>
          <div className="row">
            <button type="submit" className="button small primary" disabled={giving.isPending}>
              Send
            </button>
            <button type="button" className="button small quiet" onClick={() => setWrong(false)}>
              Cancel
            </button>
          </div>
        </form>
      ) : null}
      {giving.error ? <ProblemView problem={asProblem(giving.error)} /> : null}
    </div>
  );
}
