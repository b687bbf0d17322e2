// How often a tile runs, and when its alert is sent.
import { type FormEvent, useState } from "react";
import type { Alert, Tile } from "../api/types";

export interface Wanted {
  minutes: number;
  alert: Alert | null;
}

const CHOICES = [
  [5, "5 minutes"],
  [15, "15 minutes"],
  [60, "hour"],
  [360, "6 hours"],
  [1440, "day"],
  [10_080, "week"],
] as const;

interface Props {
  tile: Tile;
  busy: boolean;
  onPut: (wanted: Wanted) => void;
  onCancel: () => void;
}

export function TileForm({ tile, busy, onPut, onCancel }: Props) {
  const [minutes, setMinutes] = useState(tile.minutes);
  const [alerting, setAlerting] = useState(tile.alert != null);
  const [column, setColumn] = useState(tile.alert?.column ?? numeric(tile));
  const [direction, setDirection] = useState<Alert["direction"]>(tile.alert?.direction ?? "above");
  const [bound, setBound] = useState(tile.alert ? String(tile.alert.bound) : "");
  const [url, setUrl] = useState(tile.alert?.url ?? "");
  const columns = [...new Set([...(tile.last_run?.columns ?? []), column])].filter((one) => one !== "");
  const choices: (readonly [number, string])[] = CHOICES.some(([value]) => value === tile.minutes)
    ? [...CHOICES]
    : [[tile.minutes, `${tile.minutes} minutes`], ...CHOICES];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onPut({ minutes, alert: alerting ? { column, direction, bound: Number(bound), url: url.trim() } : null });
  };
  return (
    <form className="stack" onSubmit={submit} aria-label={`Settings of ${tile.name}`}>
      <label className="field">
        Run every
        <select className="input" value={minutes} onChange={(event) => setMinutes(Number(event.target.value))}>
          {choices.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label className="row small">
        <input type="checkbox" checked={alerting} onChange={(event) => setAlerting(event.target.checked)} />
        Send an alert
      </label>
      {alerting ? (
        <>
          <div className="row">
            <label className="field grow">
              Column
              <select className="input" value={column} required onChange={(event) => setColumn(event.target.value)}>
                {columns.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
            <label className="field">
              Is
              <select
                className="input"
                value={direction}
                onChange={(event) => setDirection(event.target.value as Alert["direction"])}
              >
                <option value="above">above</option>
                <option value="below">below</option>
              </select>
            </label>
            <label className="field">
              Bound
              <input
                className="input"
                type="number"
                step="any"
                required
                value={bound}
                onChange={(event) => setBound(event.target.value)}
              />
            </label>
          </div>
          <label className="field">
            Webhook
            <input
              className="input"
              type="url"
              required
              placeholder="https://"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          </label>
        </>
      ) : null}
      <div className="row">
        <button type="submit" className="button small primary" disabled={busy}>
          Save
        </button>
        <button type="button" className="button small quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The last column of numbers, which is what most queries count. */
function numeric(tile: Tile): string {
  const run = tile.last_run;
  const at = run?.columns.findLastIndex((_, i) => run.rows?.some((row) => typeof row[i] === "number")) ?? -1;
  return run?.columns[at] ?? run?.columns[0] ?? "";
}
