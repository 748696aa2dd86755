import { createContext, type ReactNode, type Ref, useContext, useEffect, useRef } from 'react';
import { brandName } from './page-facts.ts';

const HeadingsSeen = createContext<{ current: number } | undefined>(undefined);

/** Counts the pages shown, to tell the first one from those reached by navigation. */
export function PageHeadings({ children }: { readonly children: ReactNode }) {
  const seen = useRef(0);
  return <HeadingsSeen value={seen}>{children}</HeadingsSeen>;
}

/**
 * Sets the tab's title and moves the focus to the heading, as a browser does for a new document.
 * The first page is opened by the browser itself, so it keeps the focus there.
 */
export function usePageHeading(title: string): Ref<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  const seen = useContext(HeadingsSeen);

  useEffect(() => {
    document.title = `${title} · ${brandName()}`;
  }, [title]);

  useEffect(() => {
    if (!seen) return;
    if (seen.current > 0) heading.current?.focus();
    seen.current += 1;
  }, [seen]);

  return heading;
}
