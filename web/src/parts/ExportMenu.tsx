// Exports the rows of an answer as files. The query runs again, up to the service's limits, so that no row is missing.
import { useMutation } from "@tanstack/react-query";
import { asProblem } from "../api/client";
import { FORMATS, type Format, saveRows } from "../state/download";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";

interface Props {
  database: string;
  sql: string;
  name: string;
}

export function ExportMenu({ database, sql, name }: Props) {
  const saving = useMutation({ mutationFn: (format: Format) => saveRows(format, database, sql, name) });
  return (
    <div className="export">
      <div className="row" role="group" aria-label="Save the rows">
        {FORMATS.map((format) => (
          <button
            key={format.suffix}
            type="button"
            className="button small quiet"
            disabled={saving.isPending}
            onClick={() => saving.mutate(format)}
          >
            <Icon name="down" />
            {format.name}
          </button>
        ))}
      </div>
      {saving.error ? <ProblemView problem={asProblem(saving.error)} /> : null}
    </div>
  );
}
