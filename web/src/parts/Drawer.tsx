// A panel next to the conversation, or over it on narrow screens. The browser's
// dialog element traps the focus, closes on Escape, and restores the focus.
import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./Icon";

interface Props {
  side: "left" | "right";
  title: string;
  wide: boolean;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function Drawer({ side, title, wide, open, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (open && !element.open) element.showModal();
    if (!open && element.open) element.close();
  }, [open, wide]);
  if (wide)
    return open ? (
      <aside className={`aside ${side}`} aria-label={title}>
        {children}
      </aside>
    ) : null;
  return (
    <dialog
      ref={dialog}
      className={`drawer ${side}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose(); // the backdrop
      }}
    >
      <div className="drawer-body">
        <div className="row spread">
          <h2>{title}</h2>
          <button type="button" className="button quiet icon" onClick={onClose}>
            <Icon name="cross" />
            <span className="sr-only">Close</span>
          </button>
        </div>
        {open ? children : null}
      </div>
    </dialog>
  );
}
