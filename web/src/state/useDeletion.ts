// Deletions that can be undone: they happen after a delay, or at once when another follows or the page is left.
import { useCallback, useEffect, useRef, useState } from "react";

export const UNDO_MS = 10_000;

export interface Deleted {
  id: string;
  name: string;
}

export interface Deletion {
  pending: Deleted | null; // hidden, but still there
  request: (item: Deleted) => void;
  undo: () => void;
}

/** `remove` deletes an item for good; called once for each item that was not restored. */
export function useDeletion(remove: (item: Deleted) => void): Deletion {
  const [pending, setPending] = useState<Deleted | null>(null);
  const held = useRef<{ item: Deleted; timer: number } | null>(null);
  const removing = useRef(remove);
  removing.current = remove;

  const release = useCallback((): Deleted | null => {
    const item = held.current?.item ?? null;
    window.clearTimeout(held.current?.timer);
    held.current = null;
    setPending(null);
    return item;
  }, []);
  const commit = useCallback(() => {
    const item = release();
    if (item) removing.current(item);
  }, [release]);
  const request = useCallback(
    (item: Deleted) => {
      commit();
      held.current = { item, timer: window.setTimeout(commit, UNDO_MS) };
      setPending(item);
    },
    [commit],
  );
  useEffect(() => {
    window.addEventListener("pagehide", commit);
    return () => {
      window.removeEventListener("pagehide", commit);
      commit();
    };
  }, [commit]);
  return { pending, request, undo: release };
}
