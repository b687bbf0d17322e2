// Light or dark: the system's theme unless the reader chose one.
export type Theme = "system" | "light" | "dark";

const KEY = "plumbline.theme";
export const THEMES: Theme[] = ["system", "light", "dark"];

export function savedTheme(): Theme {
  const saved = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === saved) ?? "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme(theme);
}
