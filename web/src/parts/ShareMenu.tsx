// Shares an answer by a link or as Markdown. The link is created when it is first copied.
import { useId, useState } from "react";
import { asProblem, call } from "../api/client";
import type { Answer, Problem, Share } from "../api/types";
import { day } from "../state/format";
import { addressOf } from "../state/route";
import { markdownOf } from "../state/share";
import { CopyButton } from "./CopyButton";
import { Icon } from "./Icon";
import { ProblemView } from "./ProblemView";

interface Props {
  answer: Answer;
  question: string;
  database: string;
}

export function ShareMenu({ answer, question, database }: Props) {
  const [open, setOpen] = useState(false);
  const [share, setShare] = useState<Share | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const id = useId();
  const path = `sessions/${encodeURIComponent(answer.session_id ?? "")}/answers/${answer.answer_id}/share`;

  const link = async (): Promise<string> => {
    try {
      const made = await call<Share>(path, { method: "PUT" });
      setShare(made);
      setProblem(null);
      return addressOf({ view: "shared", id: made.id });
    } catch (error) {
      setProblem(asProblem(error));
      throw error;
    }
  };
  const stop = () =>
    call(path, { method: "DELETE" }).then(
      () => setShare(null),
      (error: unknown) => setProblem(asProblem(error)),
    );
  return (
    <div className="feedback">
      <button
        type="button"
        className="button small quiet"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <Icon name="share" />
        Share
      </button>
      <div id={id} className="panel share small" role="group" aria-label="Share" hidden={!open}>
        <div className="row">
          <CopyButton text={link} label="Copy link" icon="link" />
          <CopyButton text={() => link().then((to) => markdownOf(answer, question, to))} label="Copy Markdown" />
          {share ? (
            <button type="button" className="button small quiet" onClick={() => void stop()}>
              Stop sharing
            </button>
          ) : null}
        </div>
        <p className="soft" role="status">
          {share
            ? `The link works until ${day(share.expires_at)}.`
            : `The link shows this answer to people who may ask “${database}” and see the same rows.`}
        </p>
        {problem ? <ProblemView problem={problem} /> : null}
      </div>
    </div>
  );
}
