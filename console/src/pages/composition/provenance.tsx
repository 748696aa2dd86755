import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Composition } from './attribute.ts';

/** When the report was computed, from what, and whether it is up to date. */
export function Provenance({ composition }: { composition: Composition }) {
  const { computed_at, matched_devices, universe_devices, universe_version, stale } = composition;
  const { mode, scale, held_until } = composition.disclosure;
  return (
    <p className="provenance">
      {stale && held_until !== null && (
        <strong>
          Outdated. It stays until <Moment at={held_until} />, because too many different contents
          of audiences were reported on today.
        </strong>
      )}
      {stale && held_until === null && (
        <strong>Outdated. A new report is being computed and will appear here.</strong>
      )}
      {!stale && 'Up to date.'} Compares {count(matched_devices)} matched devices with all{' '}
      {count(universe_devices)} in the marketplace (version {count(universe_version)}). Computed{' '}
      <Moment at={computed_at} />.
      {mode === 'protected' &&
        ` Protected: counts that depend on other partners’ data have noise of scale ${scale}, which is the same whenever you look. Counts of the partner’s own attributes are exact.`}
    </p>
  );
}
