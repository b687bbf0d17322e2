// The editor: CodeMirror in a shadow root, where its style sheets are adopted, for inline ones the page's policy forbids.
import { autocompletion, closeBrackets, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { dialectOf } from "./dialects";

/** A text that replaces the editor's content. */
export interface Given {
  text: string;
}

export interface EditorProps {
  given: Given; // another object, another text: what is typed meanwhile is the editor's own
  onText: (text: string) => void;
  onRun: () => void;
  dialect: string;
  tables: Record<string, string[]>;
}

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--code-comment)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", fontSize: "0.87rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px", borderRadius: "8px" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "0.6rem 0", caretColor: "var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", maxHeight: "24rem" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-soft)", border: "none" },
  ".cm-tooltip": { backgroundColor: "var(--sheet)", color: "var(--ink)", border: "1px solid var(--line-strong)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
});

// What is typed over a selection is put in here: Chromium would keep the look of what was there by inline styles, which
// the page's policy forbids. Brackets and quotes are put around it, by `closeBrackets`.
const overSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to } = view.state.selection.main;
    const typed = event.inputType === "insertText" && event.data !== null && !/^["'`([{]$/.test(event.data);
    if (!typed || view.composing || from === to) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data ?? ""), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

export default function SqlEditor({ given, onText, onRun, dialect, tables }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const told = useRef({ onText, onRun });
  told.current = { onText, onRun };

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    root.replaceChildren(parent);
    const run = (view: EditorView): boolean => {
      closeCompletion(view);
      told.current.onRun();
      return true;
    };
    const editor = new EditorView({
      parent,
      root,
      state: EditorState.create({
        doc: given.text,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ icons: false }),
          // Tab leaves the editor, as everywhere on the page, so that it does not trap the focus.
          keymap.of([{ key: "Mod-Enter", run }, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          sql({ dialect: dialectOf(dialect), schema: tables, upperCaseKeywords: true }),
          syntaxHighlighting(highlighting),
          look,
          overSelection,
          EditorView.domEventHandlers({ blur: (_, view) => void closeCompletion(view) }), // also what is still looked up
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "SQL editor. Press Control+Enter to run the query." }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) told.current.onText(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the text is the editor's own from here on
  }, [dialect, tables]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === given.text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: given.text } });
  }, [given]);

  return <div ref={host} className="editor" />;
}
