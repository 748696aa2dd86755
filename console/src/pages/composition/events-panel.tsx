import { useCallback, useMemo } from 'react';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import type { EventLabel } from './attribute.ts';
import { drawEventBars } from './event-bars.ts';
import { shareText } from './figures.ts';
import { PlotFrame } from './plot-frame.tsx';
import { rowsHeight } from './plot-layout.ts';
import { ShowMore } from './show-more.tsx';
import { useShown } from './use-shown.ts';

/** The devices of the audience by event label. */
export function EventsPanel({ events }: { events: readonly EventLabel[] }) {
  const [shown, setShown] = useShown('events');
  const ordered = useMemo(() => events.toSorted((a, b) => b.devices - a.devices), [events]);
  const drawn = useMemo(() => ordered.slice(0, shown), [ordered, shown]);
  const draw = useCallback(
    (width: number, element: HTMLElement) => drawEventBars(drawn, width, element),
    [drawn],
  );
  return (
    <Panel title="Event labels">
      <p className="muted">
        Devices with each event label, and their share of all unique devices. A device can have
        several labels.
      </p>
      <PlotFrame
        label={`Devices by event label. ${describe(drawn)}`}
        heightAt={(width) => rowsHeight(width, drawn.length)}
        draw={draw}
      />
      <ShowMore shown={shown} total={ordered.length} things="labels" onShow={setShown} />
    </Panel>
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
