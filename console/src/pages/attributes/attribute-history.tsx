import { useCallback } from 'react';
import { countColumn, DataTable } from '../../parts/data-table.tsx';
import { count, counted, exactTime } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { PlotFrame } from '../composition/plot-frame.tsx';
import { drawHistory, plotHeight } from '../history/history-plot.ts';
import { type AttributeChange, reasonOf } from './attribute.ts';
import '../composition/attributes.css';
import '../history/history.css';

interface AttributeHistoryProps {
  /** The latest first. */
  readonly changes: readonly AttributeChange[];
}

/** How the number of devices changed and why: a plot, and a table with all figures. */
export function AttributeHistory({ changes }: AttributeHistoryProps) {
  return (
    <Panel title="History">
      {changes.length === 0 && <p className="muted">No change has been recorded yet.</p>}
      {changes.length > 0 && <HistoryPlot changes={changes} />}
    </Panel>
  );
}

function HistoryPlot({ changes }: AttributeHistoryProps) {
  const draw = useCallback(
    (width: number, element: HTMLElement) =>
      drawHistory(changes, { reason: reasonOf, tip: tipLines }, new Date(), width, element),
    [changes],
  );
  return (
    <>
      <PlotFrame
        label={`Devices over ${counted(changes.length, 'change', 'changes')}. The table below has all figures.`}
        heightAt={() => plotHeight}
        draw={draw}
      />
      <details className="history-table">
        <summary>
          {changes.length === 1 ? 'The change' : `All ${count(changes.length)} changes`}
        </summary>
        <DataTable
          label="Changes to the attribute"
          rows={changes}
          keyOf={({ number }) => number}
          columns={[
            { label: 'Changed', cell: ({ changed_at }) => exactTime(new Date(changed_at)) },
            { label: 'Why', cell: reasonOf },
            countColumn('Devices', 'unique_devices'),
          ]}
        />
      </details>
    </>
  );
}

function tipLines({ unique_devices }: AttributeChange): string[] {
  return [counted(unique_devices, 'device', 'devices')];
}
