// The conversation without the rest of the page.
import { type MouseEvent, useRef, useState } from "react";
import { asProblem, pageAddress } from "../api/client";
import { useDatabase, useSchema } from "../api/queries";
import type { Table } from "../api/types";
import { Composer } from "../parts/Composer";
import { ProblemView } from "../parts/ProblemView";
import { TurnView } from "../parts/TurnView";
import { Welcome } from "../views/Welcome";
import { hasNoRows } from "../state/rows";
import { useConversation } from "../state/useConversation";

const NONE: Table[] = [];
const nowhere = (): void => undefined; // the address of this page is somebody else's

export function Chat({ database }: { database: string }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { turns, busy, ask: send, cancel, recall } = useConversation(nowhere);
  const details = useDatabase(database);
  const schema = useSchema(database);
  const ask = (question: string) => {
    setText("");
    void send(question.trim(), database).then((inSight) => {
      if (inSight) field.current?.focus({ preventScroll: true });
    });
  };
  return (
    <div className="chat" onClick={toThePage}>
      <div className="conversation" role="log" aria-label="Conversation" aria-live="off">
        {details.error ? <ProblemView problem={asProblem(details.error)} again={() => void details.refetch()} /> : null}
        {turns.length || details.error ? null : (
          <Welcome database={database} questions={details.data?.questions ?? []} shared="" empty={hasNoRows(schema.data?.tables ?? NONE)} onAsk={ask} />
        )}
        {turns.map((turn) => (
          <TurnView
            key={turn.id}
            turn={turn}
            tables={schema.data?.tables ?? NONE}
            dialect={schema.data?.dialect ?? ""}
            onAsk={busy ? setText : ask}
            onRecall={recall}
          />
        ))}
      </div>
      <div className="ask">
        <Composer
          text={text}
          onText={setText}
          onAsk={() => ask(text)}
          onStop={cancel}
          busy={busy}
          ready={details.isSuccess}
          follows={turns.length > 0}
          field={field}
        />
      </div>
    </div>
  );
}

/** Links to the page's other views lead to the page itself. */
function toThePage(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const place = link?.getAttribute("href");
  if (!place?.startsWith("#/")) return;
  event.preventDefault();
  window.open(new URL(place, pageAddress()), "_blank", "noopener");
}
