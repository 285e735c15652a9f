/** Drawn on a grid of 24, only with lines, so they take the colour of the text. */
const paths = {
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  posts: 'M4 6h16M4 12h16M4 18h10',
  accounts: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20c0-4 3-6 6-6s6 2 6 6M16 5a3 3 0 0 1 0 6M17 14c2 .5 4 2.500 4 6',
  comments: 'M4 5h16v11h-9l-5 4v-4H4z',
  messages: 'M3 6h18v12H3zM3 7l9 7 9-7',
  automations: 'M13 3 5 14h6l-1 7 9-11h-6z',
  analytics: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  webhooks:
    'M12 4v7M12 11l-6 7M12 11l6 7M12 5a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM6 20a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM18 20a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  requests: 'M7 4v15M3 8l4-4 4 4M17 20V5M13 16l4 4 4-4',
  faults: 'M9 8a3 3 0 0 1 6 0M7 9h10v5a5 5 0 0 1-10 0zM12 9v10M3 12h4M17 12h4M4 6l3 3M20 6l-3 3M4 19l3-3M20 19l-3-3',
  menu: 'M4 6h16M4 12h16M4 18h16',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  store: 'M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0',
  durable: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM9 12l2 2 4-4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  play: 'M7 4v16l13-8z',
  pause: 'M7 4v16M17 4v16',
  faster: 'M4 5v14l8-7zM12 5v14l8-7z',
  step: 'M6 4v16l10-8zM19 4v16',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M5 19l2-2',
  moon: 'M20 14A8 8 0 1 1 10 4a6.500 6.500 0 0 0 10 10z',
  system: 'M3 5h18v11H3zM9 20h6M12 16v4',
  check: 'M5 13l5 5L20 7',
  cross: 'M6 6l12 12M18 6 6 18',
  warning: 'M12 4 2.500 20h19zM12 10v5M12 17.500v.5',
  draft: 'M4 20l1-5L16 4l4 4L9 19z',
  plus: 'M12 5v14M5 12h14',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  up: 'M5 15l7-7 7 7',
  copy: 'M9 9h11v12H9zM15 9V4H4v12h5',
  again: 'M20 5v5h-5M20 10a8 8 0 1 0 1 5',
  waiting: 'M7 3h10M7 21h10M8 3c0 5 8 6 8 9s-8 4-8 9M16 3c0 5-8 6-8 9s8 4 8 9',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  bin: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14',
} as const satisfies Readonly<Record<string, string>>;

export type IconName = keyof typeof paths;

/** An icon next to equivalent text; screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
