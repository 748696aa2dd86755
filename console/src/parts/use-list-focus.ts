import { type RefObject, useEffect, useRef } from 'react';

/**
 * Moves the focus to a list when it has been reloaded after `expectRemoval`: the button that had
 * the focus may have disappeared with its row.
 */
export function useListFocus(data: unknown): {
  readonly list: RefObject<HTMLElement | null>;
  expectRemoval(): void;
} {
  const list = useRef<HTMLElement>(null);
  const isExpected = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when new data has arrived.
  useEffect(() => {
    if (isExpected.current) list.current?.focus();
    isExpected.current = false;
  }, [data]);
  return {
    list,
    expectRemoval() {
      isExpected.current = true;
    },
  };
}
