import { useState } from 'react';
import { Button } from './button.tsx';

/** The position in a list that is read page by page. `after` is the cursor before the current page. */
export interface Pages<Cursor> {
  readonly after: Cursor | undefined;
  readonly isFirst: boolean;
  back(): void;
  next(cursor: Cursor): void;
}

/** Starts again at the first page whenever `of`, which names the list, changes. */
export function usePages<Cursor>(of: string): Pages<Cursor> {
  const [turned, setTurned] = useState({ of, cursors: [] as readonly Cursor[] });
  const cursors = turned.of === of ? turned.cursors : [];
  return {
    after: cursors.at(-1),
    isFirst: cursors.length === 0,
    back: () => setTurned({ of, cursors: cursors.slice(0, -1) }),
    next: (cursor) => setTurned({ of, cursors: [...cursors, cursor] }),
  };
}

interface ListPagesProps<Cursor> {
  readonly pages: Pages<Cursor>;
  /** The cursor of the next page, if there is one. */
  readonly next: NoInfer<Cursor> | undefined;
  readonly backLabel?: string;
  readonly nextLabel?: string;
}

/** The buttons below a list that has more than one page. */
export function ListPages<Cursor>(props: ListPagesProps<Cursor>) {
  const { pages, next, backLabel = 'Previous', nextLabel = 'Next' } = props;
  if (pages.isFirst && next === undefined) return null;
  return (
    <p className="list-pages">
      <Button disabled={pages.isFirst} onClick={pages.back}>
        {backLabel}
      </Button>
      <Button disabled={next === undefined} onClick={() => next !== undefined && pages.next(next)}>
        {nextLabel}
      </Button>
    </p>
  );
}
