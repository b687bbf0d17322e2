// Draws Vega-Lite without eval, inline styles or requests. Loaded with the first chart.
import embed, { type Result, type VisualizationSpec } from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";
import type { Row } from "../api/types";
import type { Meanings } from "../state/meaning";
import { describe } from "../state/describe";
import { type Channel, field, readable, withJoined } from "../state/chart";
import { columnFormats } from "../state/format";
import { dateFormat, type Moment } from "../state/moments";

export type Drawn = Result;

const SHORT = 70; // characters of labels that fit side by side

/** Whether the labels of the x axis fit horizontally. */
function fit(spec: Record<string, unknown>, rows: Row[]): boolean {
  const x = (spec.encoding as { x?: { field?: string; type?: string } } | undefined)?.x;
  if (!x?.field || x.type === "quantitative" || x.type === "temporal") return false;
  const names = new Set(rows.map((row) => String(row[x.field as string] ?? "")));
  return [...names].reduce((sum, name) => sum + name.length + 2, 0) < SHORT;
}

/** Numbers, months and days in the reader's language; the service sets no format. */
function locale() {
  const parts = new Intl.NumberFormat(undefined, { useGrouping: "always" }).formatToParts(12345.6);
  const mark = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  const names = (count: number, options: Intl.DateTimeFormatOptions, at: (i: number) => number): string[] => {
    const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: "UTC" });
    return Array.from({ length: count }, (_, i) => format.format(at(i)));
  };
  const month = (i: number) => Date.UTC(2023, i, 1);
  const inDates = dateFormat("month"); // in some languages another form than alone
  const shortMonths = Array.from({ length: 12 }, (_, i) => partOf(inDates.formatToParts(month(i)), "month"));
  const day = (i: number) => Date.UTC(2023, 0, 1 + i); // a Sunday
  return {
    formatLocale: { decimal: mark("decimal"), thousands: mark("group"), grouping: [3], currency: ["", ""] as [string, string] },
    timeFormatLocale: {
      dateTime: "%x, %X",
      date: pattern("day"),
      time: "%H:%M:%S",
      periods: ["AM", "PM"] as [string, string],
      days: names(7, { weekday: "long" }, day) as Seven,
      shortDays: names(7, { weekday: "short" }, day) as Seven,
      months: names(12, { month: "long" }, month) as Twelve,
      shortMonths: shortMonths as Twelve,
    },
  };
}

function partOf(parts: Intl.DateTimeFormatPart[], type: string): string {
  return parts.find((part) => part.type === type)?.value ?? "";
}

/** The d3 format of `dateFormat`: its parts in order. */
function pattern(moment: Moment): string {
  const parts = dateFormat(moment).formatToParts(Date.UTC(2023, 2, 4));
  return parts
    .map(({ type, value }) => {
      if (type === "year") return value.length > 2 ? "%Y" : "%y";
      if (type === "month") return value === "03" ? "%m" : value === "3" ? "%-m" : "%b";
      if (type === "day") return value === "04" ? "%d" : "%-d";
      return value.replaceAll("%", "%%");
    })
    .join("");
}

type Seven = [string, string, string, string, string, string, string];
type Twelve = [...Seven, string, string, string, string, string];

/** The d3 format of a chart's amounts, as in the table. */
function tooltipFormat(spec: Record<string, unknown>, rows: Row[], named: Meanings): string {
  const fields = Object.values((spec.encoding ?? {}) as Record<string, Channel>).filter((one) => one.type === "quantitative");
  const columns = Object.keys(rows[0] ?? {}).filter((column) => fields.some((one) => one.field === field(column)));
  const decimals = columnFormats(columns, rows, named).map((format) => format.decimals);
  const same = new Set(decimals).size === 1 ? decimals[0] : null; // one format for all amounts of a chart
  return same == null ? ",.6~f" : `,.${same}f`;
}

const nothing = (): Promise<never> => Promise.reject(new Error("Charts load nothing."));

/** A CSS variable in the current theme; read directly it would be the pair of both themes. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const found = getComputedStyle(element).color;
  element.style.color = "";
  return found;
}

/** Draw a chart of `results` into an element, `height` pixels high. */
export async function draw(
  element: HTMLElement,
  spec: Record<string, unknown>,
  given: Row[],
  named: Meanings,
  height = 300,
): Promise<Drawn> {
  const rows = withJoined(spec, given);
  const [ink, soft, line, accent] = ["--ink", "--ink-soft", "--line", "--accent"].map((name) => colourOf(element, name));
  const shown = readable(spec, rows, named, { utcyearmonthdate: pattern("day"), utcyearmonth: pattern("month") });
  const data = { name: "results", values: shown.rows };
  const description = describe(spec, Object.keys(rows[0] ?? {}), rows, named); // of the SVG that is saved, too
  const whole = { ...shown.spec, description, data, width: "container", height, background: null };
  return embed(element, whole as unknown as VisualizationSpec, {
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    ast: true,
    expr: expressionInterpreter,
    // The tooltip is outside of the shadow root, where the host page has no style for it.
    tooltip: element.getRootNode() instanceof ShadowRoot ? false : { theme: "plumbline", disableDefaultStyle: true },
    loader: { load: nothing, sanitize: nothing, http: nothing, file: nothing },
    ...locale(),
    config: {
      tooltipFormat: { numberFormat: tooltipFormat(shown.spec, rows, named) },
      font: "Inter, system-ui, sans-serif",
      title: { color: ink, fontSize: 14, fontWeight: 600, anchor: "start", offset: 12 },
      axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: 500 },
      ...(fit(shown.spec, shown.rows) ? { axisX: { labelAngle: 0 } } : {}),
      legend: { labelColor: soft, titleColor: soft },
      view: { stroke: null },
      mark: { color: accent },
      bar: { cornerRadiusEnd: 3 },
      range: { category: ["#0b8a7e", "#d97b2b", "#5b6cc9", "#b0486f", "#7f9a2c", "#3d8fc4", "#8f5fb8", "#b58b1d"] },
    },
  });
}
