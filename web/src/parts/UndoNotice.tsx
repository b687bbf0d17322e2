import { useRef } from "react";
import type { Deletion } from "../state/useDeletion";

/** Says what was deleted, with an Undo button. Always mounted, so that screen readers announce it. */
export function UndoNotice({ deletion }: { deletion: Deletion }) {
  const { pending, undo } = deletion;
  const place = useRef<HTMLDivElement>(null);
  return (
    <div role="status" ref={place} tabIndex={-1} className="notice">
      {pending ? (
        <p className="row small undo">
          <span className="grow">Deleted “{pending.name}”.</span>
          <button
            type="button"
            className="button small"
            autoFocus
            onClick={() => {
              place.current?.focus(); // the button goes away; what it brought back follows
              undo();
            }}
          >
            Undo
          </button>
        </p>
      ) : null}
    </div>
  );
}
