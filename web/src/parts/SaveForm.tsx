import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { asProblem, call } from "../api/client";
import type { SavedQuery } from "../api/types";
import { ProblemView } from "./ProblemView";

interface Props {
  database: string;
  sql: string;
  question: string;
  onDone: () => void;
}

export function SaveForm({ database, sql, question, onDone }: Props) {
  const [name, setName] = useState(question.slice(0, 100));
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: () => call<SavedQuery>("saved", { method: "POST", body: { name, database, sql, question } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["saved"] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  if (saving.isSuccess)
    return (
      <p role="status" className="row">
        <span className="tag good">Saved</span> as “{saving.data.name}”. <a href="#/saved">View saved queries</a>
      </p>
    );
  return (
    <form className="row save-form" onSubmit={submit}>
      <label className="field grow">
        Name
        <input className="input" value={name} maxLength={100} required onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="submit" className="button small primary" disabled={saving.isPending || !name.trim()}>
        Save
      </button>
      <button type="button" className="button small quiet" onClick={onDone}>
        Cancel
      </button>
      {saving.error ? <ProblemView problem={asProblem(saving.error)} /> : null}
    </form>
  );
}
