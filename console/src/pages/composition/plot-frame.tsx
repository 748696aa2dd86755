import { useLayoutEffect, useRef } from 'react';
import { useWidth } from './use-width.ts';

/** Draws a plot of the given width. The element provides the font for measuring texts. */
export type Draw = (width: number, element: HTMLElement) => Element;

/**
 * The frame of a plot. Its height is known before the plot is drawn; the plot is redrawn when the
 * width or `draw` changes, so `draw` must stay the same function while its data does.
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
    // The plot is one image to screen readers, so its parts must not have labels.
    for (const part of plot.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    plot.setAttribute('role', 'img');
    plot.setAttribute('aria-label', label);
    frame.current.replaceChildren(plot);
  }, [draw, width, label]);
  return <div ref={frame} className="plot-frame" style={{ height: heightAt(width) }} />;
}
