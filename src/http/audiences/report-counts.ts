import { type Count, exactly } from '../../domain/composition.ts';
import {
  attributeCounts,
  type Disclosure,
  matchedCount,
  universeCount,
} from '../../domain/disclosure/disclosure.ts';
import { type Composition, devicesIn } from '../../records/audiences/compositions.ts';

/** An attribute, and the partner that supplies it. */
export interface SuppliedAttribute {
  readonly segmentId: number;
  readonly partnerId: number;
}

/** The counts of one audience's report as its reader may see them. Every count of a report goes through here. */
export interface ReportCounts {
  /** All devices that have an attribute. */
  readonly universe: Count;
  /** The audience's devices in the universe. */
  readonly matched: Count;
  /** Whether the counts of this attribute are exact. */
  isExact(attribute: SuppliedAttribute): boolean;
  /** The devices that have this attribute: those of the audience, and all. */
  of(attribute: SuppliedAttribute): { readonly audience: Count; readonly baseline: Count };
}

export function reportCounts(composition: Composition, disclosure: Disclosure): ReportCounts {
  const { counted, released } = composition;
  const isExact = ({ partnerId }: SuppliedAttribute) =>
    disclosure.mode === 'exact' || partnerId === composition.partnerId;
  const sizes =
    disclosure.mode === 'exact'
      ? {
          universe: exactly(composition.universeDevices),
          matched: exactly(composition.matchedDevices),
        }
      : {
          universe: universeCount(disclosure, released),
          matched: matchedCount(disclosure, released),
        };
  return {
    ...sizes,
    isExact,
    of(attribute) {
      const { segmentId } = attribute;
      const devices = { segmentId, ...devicesIn(counted, segmentId), isOwn: isExact(attribute) };
      return attributeCounts(disclosure, released.fingerprint, devices);
    },
  };
}
