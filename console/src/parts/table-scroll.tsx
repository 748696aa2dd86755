import type { ReactNode, Ref } from 'react';

export interface TableScrollProps {
  readonly label: string;
  readonly ref?: Ref<HTMLElement> | undefined;
  readonly children: ReactNode;
}

/** Scrolls a table that is wider than the screen. It can take the focus, so the arrow keys work. */
export function TableScroll({ label, ref, children }: TableScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section ref={ref} className="data-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
