import { useState } from "react";
import { Icon, type IconName } from "./Icon";

interface Props {
  text: () => string;
  label: string;
  icon?: IconName;
}

export function CopyButton({ text, label, icon = "copy" }: Props) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid("Copied");
    } catch {
      setSaid("The browser does not let the page copy");
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
