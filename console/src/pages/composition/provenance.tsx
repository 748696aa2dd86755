import { count, exactTime } from '../../parts/format.ts';
import type { Composition } from './attribute.ts';
import { baselineWords } from './baseline.ts';

/** When the report was computed, from what, and whether it is up to date. */
export function Provenance({ composition }: { composition: Composition }) {
  const { computed_at, universe_version, stale, baseline } = composition;
  const { mode, scale, held_until } = composition.disclosure;
  return (
    <p className="provenance">
      {stale && held_until !== null && (
        <strong>
          Outdated. The partner has reached its daily limit of reports on changed audiences. The
          next report is computed on {exactTime(new Date(held_until))}.
        </strong>
      )}
      {stale && held_until === null && (
        <strong>Outdated. A new report is being computed and will appear here.</strong>
      )}
      {!stale && 'Up to date.'} Compares {count(baseline.audience_devices)} matched devices with{' '}
      {baseline.choice === 'universe'
        ? `all ${count(baseline.devices)} in the marketplace`
        : `${baselineWords(baseline)}, ${count(baseline.devices)} in all`}{' '}
      (version {count(universe_version)}). Computed on {exactTime(new Date(computed_at))}.
      {mode === 'protected' &&
        ` Protected: counts that depend on other partners’ data have noise of scale ${scale}. Reloading the report does not change it. Counts of the partner’s own attributes are exact.`}
    </p>
  );
}
