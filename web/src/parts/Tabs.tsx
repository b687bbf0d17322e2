// Tabs as the ARIA practices have them: arrows move between them, Home and End to the first and last. A panel that was
// opened keeps its state: an edited query, filters, a changed chart.
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";

export interface Tab {
  id: string;
  title: ReactNode;
  panel: () => ReactNode;
}

interface Props {
  tabs: Tab[];
  chosen: string;
  onChoose: (id: string) => void;
  label: string;
}

export function Tabs({ tabs, chosen, onChoose, label }: Props) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const current = tabs.find((tab) => tab.id === chosen) ?? tabs[0];
  const [seen, setSeen] = useState<string[]>([]);
  if (!current) return null;
  if (!seen.includes(current.id)) setSeen([...seen, current.id]);

  const onKey = (event: KeyboardEvent) => {
    const at = tabs.indexOf(current);
    const last = tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    const tab = to === undefined ? undefined : tabs[to];
    if (!tab) return;
    event.preventDefault();
    onChoose(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(tab)]?.focus();
  };
  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={onKey}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab === current}
            aria-controls={tab === current || seen.includes(tab.id) ? `${id}-${tab.id}-panel` : undefined}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {tabs
        .filter((tab) => tab === current || seen.includes(tab.id))
        .map((tab) => (
          <div
            key={tab.id}
            className="tab-panel"
            role="tabpanel"
            id={`${id}-${tab.id}-panel`}
            aria-labelledby={`${id}-${tab.id}`}
            hidden={tab !== current}
          >
            {tab.panel()}
          </div>
        ))}
    </div>
  );
}
