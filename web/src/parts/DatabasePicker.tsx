import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem, call } from "../api/client";
import type { DatabaseInfo } from "../api/types";
import { day } from "../state/format";
import { ProblemView } from "./ProblemView";

interface Props {
  databases: DatabaseInfo[];
  chosen: string;
  onChoose: (name: string) => void;
}

export function DatabasePicker({ databases, chosen, onChoose }: Props) {
  const found = databases.find((database) => database.name === chosen);
  return (
    <div className="picker">
      <label className="field" htmlFor="database">
        Database
        <select id="database" className="input" value={chosen} onChange={(event) => onChoose(event.target.value)}>
          {databases.map((database) => (
            <option key={database.name} value={database.name} disabled={!database.available}>
              {database.name}
              {database.available ? "" : " (not available)"}
            </option>
          ))}
        </select>
      </label>
      {found ? (
        <p className="small soft">
          {[found.description, found.dialect].filter(Boolean).join(" · ")}
          {found.owners.length ? ` · owner: ${found.owners.join(", ")}` : ""}
        </p>
      ) : null}
      {found?.upload ? <OwnData key={found.name} name={found.name} expires={found.upload.expires_at} /> : null}
      {found?.detail ? <p className="small warned">{found.detail}</p> : null}
    </div>
  );
}

/** Uploaded data: its expiry, and its deletion with a confirmation. */
function OwnData({ name, expires }: { name: string; expires: string }) {
  const queries = useQueryClient();
  const [sure, setSure] = useState<boolean | null>(null); // null: not pressed yet
  const deleting = useMutation({
    mutationFn: () => call(`databases/${encodeURIComponent(name)}`, { method: "DELETE" }),
    onSuccess: () => {
      document.getElementById("database")?.focus(); // the buttons go with the data
      return queries.invalidateQueries({ queryKey: ["databases"] });
    },
  });
  return (
    <>
      <p className="small soft">Only you see it, until {day(expires)}.</p>
      <div className="row">
        {sure ? (
          <>
            <button
              type="button"
              className="button small danger"
              disabled={deleting.isPending}
              onClick={() => deleting.mutate()}
            >
              Delete “{name}”
            </button>
            <button type="button" className="button small quiet" autoFocus onClick={() => setSure(false)}>
              Keep
            </button>
          </>
        ) : (
          <button
            key="first" // another button than those above, so that it is mounted, and focused where they were
            type="button"
            className="button small quiet"
            autoFocus={sure === false}
            onClick={() => setSure(true)}
          >
            Delete data
          </button>
        )}
      </div>
      {deleting.error ? <ProblemView problem={asProblem(deleting.error)} /> : null}
    </>
  );
}
