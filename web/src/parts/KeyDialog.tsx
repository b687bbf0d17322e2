// Asks for the key that the service wants. It is kept until the tab is closed, and sent nowhere but to this service.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { keys } from "../api/client";
import type { Problem } from "../api/types";

export function KeyDialog({ problem, onKey }: { problem: Problem; onKey: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keys.set(key.trim());
    onKey();
  };
  return (
    <dialog ref={dialog} className="key-dialog" aria-labelledby="key-title" onCancel={(event) => event.preventDefault()}>
      <form className="stack" onSubmit={submit}>
        <h2 id="key-title">Sign in</h2>
        <p>{problem.detail}</p>
        <label className="field">
          API key
          <input
            className="input"
            type="password"
            autoComplete="off"
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <p className="small soft">The key is kept until you close this tab.</p>
        <div className="row">
          <button type="submit" className="button primary" disabled={!key.trim()}>
            Sign in
          </button>
          <a className="small" href="./.auth/login/aad?post_login_redirect_uri=/">
            Sign in with Microsoft Entra ID
          </a>
        </div>
      </form>
    </dialog>
  );
}
