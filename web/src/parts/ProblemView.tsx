// A problem document: what happened, what to do, and the trace id for support.
import type { Problem } from "../api/types";
import { duration, plural } from "../state/format";
import { Icon } from "./Icon";

interface Props {
  problem: Problem;
  again?: () => void;
}

export function ProblemView({ problem, again }: Props) {
  const fields = problem.errors ?? [];
  return (
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div className="grow">
        <p className="problem-title">{problem.title}</p>
        <p>{problem.detail}</p>
        {problem.queue ? (
          <p className="small soft">
            {plural(problem.queue.length, "question")} waiting, about {duration(problem.queue.wait_s * 1000)}
          </p>
        ) : null}
        {problem.hint ? <p>{problem.hint}</p> : null}
        {fields.length > 1 ? (
          <ul className="small">
            {fields.map((field) => (
              <li key={`${field.field}${field.message}`}>
                <code>{field.field}</code>: {field.message}
              </li>
            ))}
          </ul>
        ) : null}
        {problem.trace_id ? (
          <p className="small soft">
            Trace <code>{problem.trace_id}</code>
          </p>
        ) : null}
      </div>
      {again ? (
        <button type="button" className="button small" onClick={again}>
          Try again
        </button>
      ) : null}
    </div>
  );
}
