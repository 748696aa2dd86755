import './print.css';
import { count, exactTime } from '../../parts/format.ts';
import type { Composition } from './attribute.ts';
import { usePrinting } from './use-printing.ts';
import { labelNote, thresholdNote } from './withheld.ts';

/** The end of a printed report: how its figures were computed, from what and when. */
export function ReportMethod({ composition }: { composition: Composition }) {
  const { computed_at, universe_version, universe_devices } = composition;
  const { mode, scale } = composition.disclosure;
  const printedAt = usePrinting();
  return (
    <footer className="report-method">
      <p>
        Audience share: share of the audience’s matched devices that have the attribute. Baseline
        share: share of the devices that the audience is compared with. Index: 100 × audience share
        / baseline share, with its 95% confidence interval. {thresholdNote}{' '}
        {composition.events.length > 0 && `${labelNote} `}
        {mode === 'exact'
          ? 'Counts are exact.'
          : `Counts that depend on other partners’ data have noise of scale ${scale}.`}
      </p>
      <p>
        Computed {exactTime(new Date(computed_at))} from version {count(universe_version)} of the
        marketplace, with {count(universe_devices)} devices.
        {printedAt && ` Printed ${exactTime(printedAt)}.`}
      </p>
    </footer>
  );
}
