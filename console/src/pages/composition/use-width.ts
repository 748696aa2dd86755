import { type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** The width of a panel's content on A4 paper with our margins, in pixels. Letter paper is wider. */
const printedWidth = 664;

/**
 * The element's width in whole pixels, known before the first paint and kept up to date. Observers do not
 * notice the width of a printed page in time, so a page that is printed has a known one.
 */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const measure = () => setWidth(measured.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    const over = new AbortController();
    const { signal } = over;
    addEventListener('beforeprint', () => flushSync(() => setWidth(printedWidth)), { signal });
    addEventListener('afterprint', measure, { signal });
    return () => {
      observer.disconnect();
      over.abort();
    };
  }, [element]);
  return width;
}
