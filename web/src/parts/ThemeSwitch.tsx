import { useState } from "react";
import { chooseTheme, savedTheme, THEMES, type Theme } from "../state/theme";
import { Icon, type IconName } from "./Icon";

const SAID: Record<Theme, [string, IconName]> = {
  system: ["System", "system"],
  light: ["Light", "sun"],
  dark: ["Dark", "moon"],
};

export function ThemeSwitch() {
  const [theme, setTheme] = useState(savedTheme);
  return (
    <fieldset className="switch">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((name) => (
        <label key={name} title={SAID[name][0]}>
          <input
            type="radio"
            name="theme"
            className="sr-only"
            checked={theme === name}
            onChange={() => {
              chooseTheme(name);
              setTheme(name);
            }}
          />
          <span>
            <Icon name={SAID[name][1]} />
          </span>
          <span className="sr-only">{SAID[name][0]}</span>
        </label>
      ))}
    </fieldset>
  );
}
