import type { ReactNode, Ref } from 'react';

export interface TableScrollProps {
  readonly label: string;
  readonly ref?: Ref<HTMLElement>;
  readonly children: ReactNode;
}

/** A table may be wider than the screen; then it scrolls by itself, by keys as well. */
export function TableScroll({ label, ref, children }: TableScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable by keys.
    <section ref={ref} className="data-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
