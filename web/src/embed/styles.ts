// The page's style sheets for a shadow root: rules for the document apply to the element.
import answer from "../styles/answer.css?inline";
import base from "../styles/base.css?inline";
import layout from "../styles/layout.css?inline";
import panels from "../styles/panels.css?inline";
import table from "../styles/table.css?inline";
import own from "./embed.css?inline";

const scoped = [base, layout, answer, table, panels]
  .join("\n")
  .replaceAll(/:root\[data-theme=("?)(\w+)\1\]/g, ':host([theme="$2"])')
  .replaceAll(":root", ":host");

let sheet: CSSStyleSheet | null = null;

/** One sheet for all elements of a page. It is adopted, so that no Content-Security-Policy blocks it. */
export function styles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(`${scoped}\n${own}`);
  }
  return sheet;
}
