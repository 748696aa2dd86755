import { useCallback } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { type Column, countColumn, DataTable } from '../../parts/data-table.tsx';
import { count, counted, duration } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import '../composition/attributes.css';
import { PlotFrame } from '../composition/plot-frame.tsx';
import { dayWords, drawTrend, plotHeight, type Trend, trendStops } from './trend-plot.ts';
import type { TrendDay } from './wire.ts';

const trends: readonly (Trend & { total(days: readonly TrendDay[]): string })[] = [
  {
    title: 'Rows loaded',
    isBad: false,
    of: ({ rows }) => rows,
    words: (rows) => counted(rows, 'row', 'rows'),
    total: (days) => count(days.reduce((sum, { rows }) => sum + rows, 0)),
  },
  {
    title: 'Failed jobs',
    isBad: true,
    of: ({ failed }) => failed,
    words: (jobs) => counted(jobs, 'failed job', 'failed jobs'),
    total: (days) => count(days.reduce((sum, { failed }) => sum + failed, 0)),
  },
  {
    title: 'Longest wait in the queue',
    isBad: false,
    of: ({ longest_wait_seconds }) => longest_wait_seconds,
    words: duration,
    total: (days) => duration(Math.max(...days.map((day) => day.longest_wait_seconds))),
  },
];

const columns: readonly Column<TrendDay>[] = [
  { label: 'Day', cell: dayWords },
  countColumn('Rows', 'rows'),
  countColumn('Done', 'done'),
  countColumn('Failed', 'failed'),
  {
    label: 'Longest wait',
    className: 'num',
    cell: ({ longest_wait_seconds }) => duration(longest_wait_seconds),
  },
];

/** Rows, failures and waiting times of the last 30 days, of one partner or of all. */
export function TrendsPanel({ partnerId }: { readonly partnerId?: string }) {
  const api = useApi();
  const days = useAnswer(() => {
    const query = partnerId === undefined ? {} : { partner_id: Number(partnerId) };
    return answerOf(api.GET('/admin/v1/trends', { params: { query } }));
  }, [partnerId]);
  return (
    <Panel title="Last 30 days">
      <ProblemNote problem={days.problem} />
      {days.data && (
        <>
          <div className="operator-trends">
            {trends.map((trend) => (
              <section key={trend.title} aria-label={trend.title}>
                <h3>{trend.title}</h3>
                <p className="operator-figure">{trend.total(days.data ?? [])}</p>
                <TrendPlot trend={trend} days={days.data ?? []} />
              </section>
            ))}
          </div>
          <details className="operator-days">
            <summary>All figures by day (UTC)</summary>
            <DataTable
              label="Table of days"
              rows={days.data.toReversed()}
              columns={columns}
              keyOf={({ day }) => day}
            />
          </details>
        </>
      )}
    </Panel>
  );
}

interface TrendPlotProps {
  readonly trend: Trend;
  readonly days: readonly TrendDay[];
}

function TrendPlot({ trend, days }: TrendPlotProps) {
  const draw = useCallback((width: number) => drawTrend(trend, days, width), [trend, days]);
  return (
    <PlotFrame
      label={`${trend.title} by day. The table below has all figures.`}
      heightAt={() => plotHeight}
      draw={draw}
      stops={trendStops(trend, days)}
    />
  );
}
