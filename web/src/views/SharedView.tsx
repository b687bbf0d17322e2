// A shared answer, as it was given. The reader can ask its question again.
import { asProblem } from "../api/client";
import { useSchema, useShared } from "../api/queries";
import type { Table } from "../api/types";
import { Asked } from "../parts/Asked";
import { AnswerView } from "../parts/AnswerView";
import { Guarded } from "../parts/Guarded";
import { Icon } from "../parts/Icon";
import { ProblemView } from "../parts/ProblemView";
import { day } from "../state/format";

const NONE: Table[] = [];

interface Props {
  id: string;
  onAsk: (question: string, database: string) => void;
}

export function SharedView({ id, onAsk }: Props) {
  const found = useShared(id);
  const schema = useSchema(found.data?.database ?? "");
  if (found.error)
    return (
      <div className="page">
        <ProblemView problem={asProblem(found.error)} again={() => void found.refetch()} />
      </div>
    );
  if (!found.data)
    return (
      <p className="page soft" role="status">
        Loading the answer…
      </p>
    );
  const { answer, question, database, shared_at, expires_at } = found.data;
  return (
    <div className="page shared">
      <Asked question={question} as="h1" />
      <p className="small soft">
        An answer from {database}, shared on {day(shared_at)}. It shows the data of that time. The link works until {day(expires_at)}.
      </p>
      <Guarded key={answer.answer_id}>
        <AnswerView
          answer={answer}
          question={question}
          database={database}
          tables={schema.data?.tables ?? NONE}
          elapsedMs={0}
          onAsk={(wanted) => onAsk(wanted, database)}
          shared
        />
      </Guarded>
      <div className="row">
        <button type="button" className="button primary" onClick={() => onAsk(question, database)}>
          <Icon name="again" /> Ask this question
        </button>
      </div>
    </div>
  );
}
