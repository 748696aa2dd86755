import { type Count, exactly } from '../../domain/composition.ts';
import {
  attributeCounts,
  type Disclosure,
  matchedCount,
  universeCount,
} from '../../domain/disclosure/disclosure.ts';
import type { SupplierCounts } from '../../records/audiences/baselines.ts';
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
  /** The devices that a supplier knows, and those of the audience among them. */
  known(
    partnerId: number,
    devices: SupplierCounts,
  ): { readonly matched: Count; readonly baseline: Count };
}

/** Undefined if the report is to be protected, but was computed by an earlier version of the service. */
export function reportCounts(
  composition: Composition,
  disclosure: Disclosure,
): ReportCounts | undefined {
  const { counted, universeDevices, matchedDevices, released } = composition;
  if (disclosure.mode === 'exact') {
    return {
      universe: exactly(universeDevices),
      matched: exactly(matchedDevices),
      isExact: () => true,
      of({ segmentId }) {
        const { audienceDevices, baselineDevices } = devicesIn(counted, segmentId);
        return { audience: exactly(audienceDevices), baseline: exactly(baselineDevices) };
      },
      known: (_, { audienceDevices, supplierDevices }) => ({
        matched: exactly(audienceDevices),
        baseline: exactly(supplierDevices),
      }),
    };
  }
  if (!released) return undefined;
  const isExact = ({ partnerId }: SuppliedAttribute) => partnerId === composition.partnerId;
  return {
    universe: universeCount(disclosure, released),
    matched: matchedCount(disclosure, released),
    isExact,
    of(attribute) {
      const { segmentId } = attribute;
      const devices = { segmentId, ...devicesIn(counted, segmentId), isOwn: isExact(attribute) };
      return attributeCounts(disclosure, released, devices);
    },
    known(partnerId, { supplierDevices, audienceDevices, attributesDigest }) {
      if (partnerId === composition.partnerId) {
        return { matched: exactly(audienceDevices), baseline: exactly(supplierDevices) };
      }
      const what = ['supplier', partnerId, attributesDigest, released.erasures];
      return {
        matched: disclosure.foreign(audienceDevices, ...what, released.fingerprint),
        baseline: disclosure.foreign(supplierDevices, ...what),
      };
    },
  };
}
