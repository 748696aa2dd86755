import type { Standing } from './attribute.ts';

const shapes = {
  over: 'M11 6 2 1v10z',
  under: 'M1 6l9-5v10z',
  level: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  withheld: 'M2 6h8',
};

const words: Record<Standing, string> = {
  over: 'over-indexes',
  under: 'under-indexes',
  level: 'no significant difference',
  withheld: 'not shown',
};

/** The marker of the plot, within a line of text. */
export function StandingMark({
  standing,
  isNamed = true,
}: {
  standing: Standing;
  isNamed?: boolean;
}) {
  return (
    <>
      <svg
        className={`standing standing-${standing}`}
        viewBox="0 0 12 12"
        width="12"
        height="12"
        aria-hidden="true"
      >
        <path d={shapes[standing]} />
      </svg>
      {isNamed && <span className="visually-hidden">{words[standing]} </span>}
    </>
  );
}
