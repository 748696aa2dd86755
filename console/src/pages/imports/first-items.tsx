import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';

interface FirstItemsProps<T> {
  readonly all: readonly T[];
  readonly limit: number;
  children(shown: readonly T[]): ReactNode;
}

/** The first items of a long list, and the rest on demand. */
export function FirstItems<T>({ all, limit, children }: FirstItemsProps<T>) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? all : all.slice(0, limit);
  return (
    <>
      {children(shown)}
      {shown.length < all.length && (
        <p className="show-all">
          <Button onClick={() => setShowsAll(true)}>Show all {count(all.length)}</Button>
        </p>
      )}
    </>
  );
}
