import { createContext, type ReactNode, type Ref, useContext, useEffect, useRef } from 'react';

const HeadingsSeen = createContext<{ current: number } | undefined>(undefined);

/** Keeps in mind whether a page is the first that was opened or was come to from another. */
export function PageHeadings({ children }: { readonly children: ReactNode }) {
  const seen = useRef(0);
  return <HeadingsSeen value={seen}>{children}</HeadingsSeen>;
}

/**
 * Names the tab after the page, and moves the focus to its heading, as a browser does for a new
 * document; but not on the first page, which the browser itself has opened.
 */
export function usePageHeading(title: string): Ref<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  const seen = useContext(HeadingsSeen);

  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);

  useEffect(() => {
    if (!seen) return;
    if (seen.current > 0) heading.current?.focus();
    seen.current += 1;
  }, [seen]);

  return heading;
}
