// The chart of an answer: change it, save it as SVG or PNG. The rows hold the same data for screen readers.
import { useMemo, useState } from "react";
import type { Answer, Row } from "../api/types";
import { firstWish, MARKS, specOf, type Wish } from "../state/chart";
import type { Meanings } from "../state/meaning";
import { describe } from "../state/describe";
import { fileName, save } from "../state/download";
import type { Drawn } from "./draw";
import { Icon } from "./Icon";
import { useWide } from "../state/useWide";
import { useDrawn } from "./useDrawn";

type Chart = NonNullable<Answer["chart"]>;

interface Props {
  chart: Chart | null;
  columns: string[];
  rows: Row[];
  /** Which columns are months or years. */
  named: Meanings;
  name: string;
}

const BY_TYPE: Record<Chart["type"], Wish["mark"]> = { bar: "bar", line: "line", scatter: "point", histogram: "bar" };

export function ChartView({ chart, columns, rows, named, name }: Props) {
  const [wish, setWish] = useState<Wish | null>(() => (chart ? null : firstWish(columns, rows)));
  const [copied, setCopied] = useState("");
  const spec = useMemo(() => (wish ? specOf(wish, rows, named) : (chart?.spec ?? null)), [wish, chart, rows, named]);
  const low = useWide("(max-height: 720px)"); // so that it stands above the fold with its sentence
  const description = useMemo(() => describe(spec, columns, rows, named), [spec, columns, rows, named]);

  const { place, drawn, problem } = useDrawn(spec, rows, named, low ? 200 : 300);

  const saveAs = async (kind: "svg" | "png") => {
    const view = drawn.current?.view;
    if (!view) return;
    if (kind === "svg") {
      save(new Blob([await view.toSVG()], { type: "image/svg+xml" }), `${fileName(name)}.svg`);
      return;
    }
    save(await png(view), `${fileName(name)}.png`);
  };
  const copy = async () => {
    const view = drawn.current?.view;
    if (!view) return;
    try {
      // A promise, not the picture: browsers allow a copy only during the click.
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png(view) })]);
      setCopied("Copied");
    } catch {
      setCopied("The browser blocked copying");
    }
    setTimeout(() => setCopied(""), 2500);
  };
  const current: Wish = wish ?? {
    mark: chart ? BY_TYPE[chart.type] : "bar",
    x: chart?.x ?? columns[0] ?? "",
    y: chart?.y ?? columns.at(-1) ?? "",
    color: "",
  };
  const change = (part: Partial<Wish>) => setWish({ ...current, ...part });

  return (
    <figure className="chart">
      {problem ? (
        <p role="alert" className="warned">
          {problem}
        </p>
      ) : null}
      <div className="chart-place" ref={place} role="img" aria-label={description} />
      <figcaption className="row spread">
        <span className="small soft">{description}</span>
        <span className="row">
          <button type="button" className="button small quiet" onClick={() => void copy()}>
            <Icon name={copied === "Copied" ? "check" : "copy"} />
            {copied || "Copy picture"}
          </button>
          <span role="status" className="sr-only">
            {copied}
          </span>
          <button type="button" className="button small quiet" onClick={() => void saveAs("svg")}>
            <Icon name="down" />
            SVG
          </button>
          <button type="button" className="button small quiet" onClick={() => void saveAs("png")}>
            <Icon name="down" />
            PNG
          </button>
        </span>
      </figcaption>
      <div className="row chart-tools">
        <div className="row" role="group" aria-label="Chart type">
          {MARKS.map((mark) => (
            <button
              key={mark}
              type="button"
              className="button small"
              aria-pressed={current.mark === mark}
              onClick={() => change({ mark })}
            >
              {mark === "point" ? "Scatter" : `${mark.charAt(0).toUpperCase()}${mark.slice(1)}`}
            </button>
          ))}
        </div>
        <Choose label="X axis" value={current.x} columns={columns} onChoose={(x) => change({ x })} />
        <Choose label="Y axis" value={current.y} columns={columns} onChoose={(y) => change({ y })} />
        <Choose label="Color" value={current.color} columns={["", ...columns]} onChoose={(color) => change({ color })} />
        {wish && chart ? (
          <button type="button" className="button small quiet" onClick={() => setWish(null)}>
            Reset
          </button>
        ) : null}
      </div>
    </figure>
  );
}

async function png(view: Drawn["view"]): Promise<Blob> {
  const canvas = await view.toCanvas(2);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is empty."))), "image/png");
  });
}

interface ChooseProps {
  label: string;
  value: string;
  columns: string[];
  onChoose: (column: string) => void;
}

function Choose({ label, value, columns, onChoose }: ChooseProps) {
  return (
    <label className="row small soft">
      {label}
      <select className="input" value={value} onChange={(event) => onChoose(event.target.value)}>
        {columns.map((column) => (
          <option key={column} value={column}>
            {column || "none"}
          </option>
        ))}
      </select>
    </label>
  );
}
