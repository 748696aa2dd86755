import { useLayoutEffect, useRef } from 'react';
import { useWidth } from './use-width.ts';

/** Draws into a width. The element lends its font to what is measured. */
export type Draw = (width: number, element: HTMLElement) => Element;

/**
 * A place for a plot. Its height is set before anything is drawn, and it is drawn again when the
 * width or the drawing changes. Give a `draw` that stays the same while its data does.
 */
export function PlotFrame({
  label,
  heightAt,
  draw,
}: {
  label: string;
  heightAt: (width: number) => number;
  draw: Draw;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  useLayoutEffect(() => {
    if (!frame.current || width === 0) return;
    const plot = draw(width, frame.current);
    // The content security policy forbids style elements; these rules are in our stylesheet.
    for (const style of plot.querySelectorAll('style')) style.remove();
    // An image has no parts, and so no names of parts.
    for (const part of plot.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    plot.setAttribute('role', 'img');
    plot.setAttribute('aria-label', label);
    frame.current.replaceChildren(plot);
  }, [draw, width, label]);
  return <div ref={frame} className="plot-frame" style={{ height: heightAt(width) }} />;
}
