import { useState } from "react";
import { Icon, type IconName } from "./Icon";

interface Props {
  /** The text to copy; a promise if it must be fetched first. The caller reports its failure. */
  text: () => string | Promise<string>;
  label: string;
  icon?: IconName;
}

export function CopyButton({ text, label, icon = "copy" }: Props) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    const found = text();
    try {
      if (typeof found === "string") await navigator.clipboard.writeText(found);
      else await navigator.clipboard.write([new ClipboardItem({ "text/plain": found.then(plain) })]);
      setSaid("Copied");
    } catch {
      const known = await Promise.resolve(found).catch(() => null);
      setSaid(known === null ? "Not copied" : "The browser blocked copying");
    }
    setTimeout(() => setSaid(""), 2500);
  };
  return (
    <>
      <button type="button" className="button small quiet" onClick={copy}>
        <Icon name={said === "Copied" ? "check" : icon} />
        {said || label}
      </button>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}

// Copies the promise: browsers allow a copy only during the click.
const plain = (text: string): Blob => new Blob([text], { type: "text/plain" });
