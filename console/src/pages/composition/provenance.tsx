import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Composition } from './attribute.ts';

/** When the report was computed, from what, and whether it is up to date. */
export function Provenance({ composition }: { composition: Composition }) {
  const { computed_at, matched_devices, universe_devices, universe_version, stale } = composition;
  return (
    <p className="provenance">
      {stale ? (
        <strong>Outdated. A new report is being computed and will appear here.</strong>
      ) : (
        'Up to date.'
      )}{' '}
      Compares {count(matched_devices)} matched devices with all {count(universe_devices)} in the
      marketplace (version {count(universe_version)}). Computed <Moment at={computed_at} />.
    </p>
  );
}
