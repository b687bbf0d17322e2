// Draws a chart, and redraws it when its rows, the theme or its size change.
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Row } from "../api/types";
import type { Meanings } from "../state/meaning";
import type { Drawn } from "./draw";

export type Spec = Record<string, unknown>;

interface Chart {
  place: RefObject<HTMLDivElement | null>;
  drawn: RefObject<Drawn | null>;
  problem: string;
}

export function useDrawn(spec: Spec | null, rows: Row[], named: Meanings, height = 300): Chart {
  const [problem, setProblem] = useState("");
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const key = JSON.stringify([spec, named]);
  useEffect(() => {
    const element = place.current;
    if (!element || !spec) return;
    let gone = false;
    const paint = async () => {
      try {
        const { draw } = await import("./draw");
        if (gone) return;
        const result = await draw(element, spec, rows, named, height);
        if (gone) return result.finalize();
        drawn.current = result;
        setProblem("");
      } catch (error) {
        setProblem(`This chart cannot be drawn: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    void paint();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => void paint();
    dark.addEventListener("change", repaint);
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const room = new ResizeObserver(() => {
      if (element.clientWidth) void drawn.current?.view.width(element.clientWidth).runAsync(); // none while it is hidden
    });
    room.observe(element);
    return () => {
      gone = true;
      dark.removeEventListener("change", repaint);
      theme.disconnect();
      room.disconnect();
      drawn.current?.finalize();
      drawn.current = null;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of the spec
  }, [key, rows, height]);
  return { place, drawn, problem };
}
