// Signs in with a key or an account. A key is kept until the tab is closed and sent only to this
// service.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { keys } from "../api/client";
import type { Problem } from "../api/types";

interface Props {
  problem: Problem;
  /** The sign-in address for accounts; empty if the service takes a key. */
  signIn: string;
  onKey: () => void;
}

export function KeyDialog({ problem, signIn, onKey }: Props) {
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
        {signIn || keys.get() ? <p>{problem.detail}</p> : <p>Enter the API key that you were given for this service.</p>}
        {signIn ? (
          <a className="button primary" href={signIn} autoFocus>
            Sign in with Microsoft
          </a>
        ) : (
          <>
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
            </div>
          </>
        )}
      </form>
    </dialog>
  );
}
