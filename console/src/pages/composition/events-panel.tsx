import { useCallback, useMemo } from 'react';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import type { EventLabel } from './attribute.ts';
import { drawEventBars } from './event-bars.ts';
import { shareText } from './figures.ts';
import { PlotFrame } from './plot-frame.tsx';
import { rowsHeight } from './plot-layout.ts';
import { ShowMore } from './show-more.tsx';
import { usePrinting } from './use-printing.ts';
import { inPages, useShown } from './use-shown.ts';
import { labelNote } from './withheld.ts';

/** The devices of the audience by event label. */
export function EventsPanel({ events }: { events: readonly EventLabel[] }) {
  const [shown, setShown] = useShown('events');
  const ordered = useMemo(() => events.toSorted((a, b) => b.devices - a.devices), [events]);
  const isPrinting = usePrinting() !== undefined;
  const visible = isPrinting ? ordered.length : shown;
  const pages = useMemo(() => inPages(ordered.slice(0, visible)), [ordered, visible]);
  return (
    <Panel title="Event labels">
      <p className="muted">
        Devices with each event label, and their share of all unique devices. A device can have
        several labels. {labelNote}
      </p>
      {pages.map((page) => (
        <EventPlot key={page[0]?.label} events={page} most={ordered[0]!.devices} />
      ))}
      <ShowMore shown={visible} total={ordered.length} things="labels" onShow={setShown} />
    </Panel>
  );
}

function EventPlot({ events, most }: { events: readonly EventLabel[]; most: number }) {
  const draw = useCallback(
    (width: number, element: HTMLElement) => drawEventBars(events, most, width, element),
    [events, most],
  );
  return (
    <PlotFrame
      label={`Devices by event label. ${describe(events)}`}
      heightAt={(width) => rowsHeight(width, events.length)}
      draw={draw}
    />
  );
}

/** There is no table of labels, so the description of the plot lists all of them. */
function describe(events: readonly EventLabel[]): string {
  return events
    .map(({ label, devices, share }) =>
      share === null
        ? `${label}: ${count(devices)}`
        : `${label}: ${count(devices)}, ${shareText(share)}`,
    )
    .join('; ');
}
