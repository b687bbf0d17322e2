// The input for questions. Enter asks, Shift+Enter starts a new line. While a question runs, the button stops it.
import { type KeyboardEvent, type Ref, useEffect, useRef } from "react";
import { type Effort, EFFORTS } from "../api/stream";
import { Icon } from "./Icon";

interface Props {
  text: string;
  onText: (text: string) => void;
  onAsk: () => void;
  onStop: () => void;
  busy: boolean;
  ready: boolean; // whether it is known which database is asked
  follows: boolean;
  field: Ref<HTMLTextAreaElement>;
  /** The effort of a question; empty: the service's setting. Without `onEffort` there is no choice. */
  effort?: Effort | "";
  onEffort?: (effort: Effort | "") => void;
}

const EFFORT_NAMES: Record<Effort | "", string> = { "": "Default", quick: "Quick", balanced: "Balanced", thorough: "Thorough" };
const MEANING = "Default: as the service is set. Quick: one draft, not verified. Balanced: two drafts, or one and the judge. Thorough: up to five drafts.";

export function Composer({ text, onText, onAsk, onStop, busy, ready, follows, field, effort = "", onEffort }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = own.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 200)}px`;
  }, [text]);

  const may = ready && text.trim() !== "";
  const send = () => {
    if (!busy && may) onAsk();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className="sr-only" htmlFor="question">
        Your question
      </label>
      <textarea
        id="question"
        ref={(area) => {
          own.current = area;
          if (typeof field === "function") field(area);
          else if (field) field.current = area;
        }}
        rows={1}
        dir="auto"
        value={text}
        placeholder={follows ? "Ask a follow-up" : "Ask about your data"}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKey}
        enterKeyHint="send"
      />
      {onEffort ? (
        <label className="effort small" title={MEANING}>
          <span className="soft">Effort</span>
          <select className="input" value={effort} onChange={(event) => onEffort(event.target.value as Effort | "")}>
            {(["", ...EFFORTS] as const).map((one) => (
              <option key={one} value={one}>
                {EFFORT_NAMES[one]}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {busy ? (
        <button type="button" className="button primary send" onClick={onStop}>
          <Icon name="stop" />
          <span className="word">Stop</span>
        </button>
      ) : (
        <button type="submit" className="button primary send" disabled={!may}>
          <Icon name="send" />
          <span className="word">Ask</span>
        </button>
      )}
    </form>
  );
}
