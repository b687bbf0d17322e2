// The icons of the page, as paths on a 24 × 24 grid. They are decorative: a text next to each says the same.
const PATHS = {
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6L6 18",
  question: "M9.2 9a2.9 2.9 0 115 2.1c-.9.9-2.2 1.3-2.2 2.9M12 17.6v.1",
  dash: "M6 12h12",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h10v10H9zM5 15V5h10",
  play: "M8 5.5v13l10.5-6.5z",
  save: "M6 4h12v16l-6-4-6 4z",
  share: "M12 15V4M8 8l4-4 4 4M5 12v8h14v-8",
  link: "M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3A4 4 0 0011 18.7l1-1",
  down: "M12 4v11M7 11l5 5 5-5M5 20h14",
  up: "M7 11v9H4v-9zM7 11l4-7c1.5 0 2.3 1 2 2.5L12.4 9H18c1.4 0 2.3 1.2 2 2.5l-1.4 6c-.3 1.5-1.4 2.5-2.9 2.5H7",
  thumbDown: "M17 13V4h3v9zM17 13l-4 7c-1.5 0-2.3-1-2-2.5l.6-2.5H6c-1.4 0-2.3-1.2-2-2.5l1.4-6C5.7 5 6.8 4 8.3 4H17",
  menu: "M4 7h16M4 12h16M4 17h16",
  table: "M4 5h16v14H4zM4 10h16M10 10v9",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  bell: "M6 17h12l-1.5-2.5V10a4.5 4.5 0 00-9 0v4.5zM10 20h4",
  again: "M19 12a7 7 0 11-2-5l2 2M19 4v5h-5",
  chart: "M5 20V10M11 20V4M17 20v-7M3 20h18",
  database: "M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5l1 2.5h4L15 13h5",
  chevron: "M9 6l6 6-6 6",
  sort: "M8 5v14M8 19l-3-3M16 19V5M16 5l3 3",
  sun: "M12 8a4 4 0 110 8 4 4 0 010-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14.5A8 8 0 119.5 4a6.5 6.5 0 0010.5 10.5z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  clock: "M12 4a8 8 0 110 16 8 8 0 010-16zM12 8v4.5l3 2",
  key: "M14 10a4 4 0 11-4-4 4 4 0 014 4zM13 12l7 7M17 16l2-2",
  edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  warning: "M12 4l9 16H3zM12 10v4.5M12 17.3v.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon-svg" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
