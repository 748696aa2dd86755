import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';

interface FirstOnesProps<T> {
  readonly all: readonly T[];
  readonly atFirst: number;
  children(shown: readonly T[]): ReactNode;
}

/** The first of many, and the rest on demand: thousands at once would only be slow to look through. */
export function FirstOnes<T>({ all, atFirst, children }: FirstOnesProps<T>) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? all : all.slice(0, atFirst);
  return (
    <>
      {children(shown)}
      {shown.length < all.length && (
        <p className="show-all">
          <Button onClick={() => setWhole(true)}>Show all {count(all.length)}</Button>
        </p>
      )}
    </>
  );
}
