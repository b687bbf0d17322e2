import type { Deletion } from "../state/useDeletion";

/** Says what was deleted, with a button that brings it back. Mounted while nothing is deleted too, so that it is read out. */
export function UndoNotice({ deletion }: { deletion: Deletion }) {
  const { pending, undo } = deletion;
  return (
    <div role="status">
      {pending ? (
        <p className="row small undo">
          <span className="grow">Deleted “{pending.name}”.</span>
          <button type="button" className="button small" autoFocus onClick={undo}>
            Undo
          </button>
        </p>
      ) : null}
    </div>
  );
}
