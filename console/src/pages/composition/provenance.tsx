import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Composition } from './attribute.ts';

/** When the report was computed, on what, and whether that still holds. */
export function Provenance({ composition }: { composition: Composition }) {
  const { computed_at, matched_devices, universe_devices, universe_version, stale } = composition;
  return (
    <p className="provenance">
      Computed <Moment at={computed_at} />: the {count(matched_devices)} matched devices against all{' '}
      {count(universe_devices)} devices of the marketplace, version {count(universe_version)} of it.{' '}
      {stale ? (
        <strong>
          Something has changed since. A new report is being computed and will appear here by
          itself.
        </strong>
      ) : (
        'Nothing it is based on has changed since.'
      )}
    </p>
  );
}
