import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { useWidth } from './use-width.ts';

/** Draws a plot of the given width. The element provides the font for measuring texts. */
export type Draw = (width: number, element: HTMLElement) => Element;

/** What the arrow keys visit: the text of each tip, and a point of the plot at which it appears. */
export interface Stops {
  readonly texts: readonly string[];
  pointOf(stop: number, width: number): { readonly x: number; readonly y: number };
}

/**
 * The frame of a plot. Its height is known before the plot is drawn; the plot is redrawn when the
 * width or `draw` changes, so `draw` must stay the same function while its data does.
 */
export function PlotFrame({
  label,
  heightAt,
  draw,
  stops,
}: {
  label: string;
  heightAt: (width: number) => number;
  draw: Draw;
  stops?: Stops;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [stop, setStop] = useState<number>();
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

  const last = (stops?.texts.length ?? 0) - 1;
  function visit(next: number | undefined): void {
    setStop(next);
    const plot = frame.current?.firstElementChild;
    if (!plot || !stops) return;
    // A plot shows tips only for a pointer, so the arrow keys simulate one.
    const { left, top } = plot.getBoundingClientRect();
    const at = next === undefined ? undefined : stops.pointOf(next, width);
    plot.dispatchEvent(
      at
        ? new PointerEvent('pointermove', { ...mouse, clientX: left + at.x, clientY: top + at.y })
        : new PointerEvent('pointerleave', mouse),
    );
  }

  function onKeyDown(event: KeyboardEvent): void {
    const next = stopAfter(event.key, stop, last);
    if (next === null) return;
    event.preventDefault();
    visit(next);
  }

  const style = { height: heightAt(width) };
  if (last < 0) return <div ref={frame} className="plot-frame" style={style} />;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls. */}
      <div
        ref={frame}
        className="plot-frame"
        style={style}
        role="group"
        aria-label="Plot. The arrow keys show the figures."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its tips must be reachable by keyboard.
        tabIndex={0}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(':focus-visible')) visit(0);
        }}
        onBlur={() => visit(undefined)}
        onKeyDown={onKeyDown}
      />
      <p className="visually-hidden" role="status">
        {stop !== undefined && stops?.texts[stop]?.replaceAll('\n', ', ')}
      </p>
    </>
  );
}

/** Tips stay when another kind of pointer leaves. */
const mouse = { pointerType: 'mouse' };

/** The stop that a key leads to: undefined for none, null if the key has another purpose. */
function stopAfter(key: string, stop: number | undefined, last: number): number | undefined | null {
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return stop === undefined ? 0 : Math.min(last, stop + 1);
    case 'ArrowUp':
    case 'ArrowLeft':
      return stop === undefined ? last : Math.max(0, stop - 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return undefined;
    default:
      return null;
  }
}
