const shapes = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M4 8h8',
  clock: 'M8 4.5V8l2.5 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
  running: 'M8 2a6 6 0 1 1-5.2 3M2.6 2.2V5.2h3',
  warning: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.2',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'M4 6.5l4 4 4-4',
  folder: 'M2 12.5v-9h4l1.5 2H14v7z',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
} as const;

export type IconName = keyof typeof shapes;

/** Always next to a word with the same meaning, so screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
