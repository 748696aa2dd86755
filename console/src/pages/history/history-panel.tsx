import './history.css';
import { useCallback, useMemo } from 'react';
import { type Column, countColumn, DataTable } from '../../parts/data-table.tsx';
import { count, exactTime } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { PlotFrame } from '../composition/plot-frame.tsx';
import { type Change, rateText, reasonText, tipLines, topText } from './history.ts';
import { drawHistory, historyStops, plotHeight } from './history-plot.ts';

const texts = { reason: reasonText, tip: tipLines };

const columns: readonly Column<Change>[] = [
  { label: 'Changed', cell: ({ changed_at }) => exactTime(new Date(changed_at)) },
  { label: 'Why', cell: reasonText },
  countColumn('Unique', 'unique_devices'),
  countColumn('Matched', 'matched_devices'),
  { label: 'Match rate', className: 'num', cell: rateText },
  { label: 'Largest attributes', className: 'wide-only', cell: topText },
];

/** How the size of the audience changed and why: a plot, and a table with all figures. */
export function HistoryPanel({ changes }: { changes: readonly Change[] }) {
  const [latest, ...earlier] = changes;
  return (
    <Panel title="History">
      {!latest && <p className="muted">No change has been recorded yet.</p>}
      {latest && earlier.length === 0 && (
        <p className="muted">
          {reasonText(latest)} on {exactTime(new Date(latest.changed_at))}:{' '}
          {count(latest.unique_devices)} unique devices, {count(latest.matched_devices)} matched.
          Nothing has changed since.
        </p>
      )}
      {earlier.length > 0 && <HistoryPlot changes={changes} />}
    </Panel>
  );
}

function HistoryPlot({ changes }: { changes: readonly Change[] }) {
  const { now, stops } = useMemo(() => {
    const drawnAt = new Date();
    return { now: drawnAt, stops: historyStops(changes, texts, drawnAt) };
  }, [changes]);
  const draw = useCallback(
    (width: number, element: HTMLElement) => drawHistory(changes, texts, now, width, element),
    [changes, now],
  );
  return (
    <>
      <PlotFrame
        label={`Unique and matched devices over ${count(changes.length)} changes. The table below has all figures.`}
        heightAt={() => plotHeight}
        draw={draw}
        stops={stops}
      />
      <details className="history-table">
        <summary>All {count(changes.length)} changes</summary>
        <DataTable
          label="Changes of the audience"
          rows={changes}
          columns={columns}
          keyOf={({ number }) => number}
        />
      </details>
    </>
  );
}
