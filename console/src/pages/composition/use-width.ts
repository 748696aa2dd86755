import { type RefObject, useLayoutEffect, useState } from 'react';
import { usePrinting } from './use-printing.ts';

/** The width of a panel's content on A4 paper with our margins, in pixels. Letter paper is wider. */
const printedWidth = 664;

/**
 * The element's width in whole pixels, known before the first paint and kept up to date. Observers do not
 * notice the width of a printed page in time, so a page that is printed has a known one.
 */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  const isPrinting = usePrinting() !== undefined;
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const measure = () => setWidth(measured.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [element]);
  return isPrinting ? printedWidth : width;
}
