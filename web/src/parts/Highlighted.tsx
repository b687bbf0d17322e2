import { classHighlighter, highlightCode } from "@lezer/highlight";
import { Fragment, type ReactNode, useMemo } from "react";
import { dialectOf } from "./dialects";

export default function Highlighted({ text, dialect }: { text: string; dialect: string }) {
  const parts = useMemo(() => {
    const found: ReactNode[] = [];
    const tree = dialectOf(dialect).language.parser.parse(text);
    const put = (code: string, classes: string): void => {
      found.push(classes ? <span key={found.length} className={classes}>{code}</span> : <Fragment key={found.length}>{code}</Fragment>);
    };
    highlightCode(text, tree, classHighlighter, put, () => put("\n", ""));
    return found;
  }, [text, dialect]);
  return <code>{parts}</code>;
}
