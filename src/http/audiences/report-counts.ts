import { type Count, exactly } from '../../domain/composition.ts';

/** An attribute, and the partner that supplies it. */
export interface SuppliedAttribute {
  readonly segmentId: number;
  readonly partnerId: number;
}

/** The counts of one audience's report as its reader may see them. Every count of a report goes through here. */
export interface ReportCounts {
  /** All devices that have an attribute. */
  universe(devices: number): Count;
  /** The audience's devices in the universe. */
  matched(devices: number): Count;
  /** All devices that have this attribute. */
  inUniverse(attribute: SuppliedAttribute, devices: number): Count;
  /** The audience's devices that have this attribute. */
  inAudience(attribute: SuppliedAttribute, devices: number): Count;
}

export const exactCounts: ReportCounts = {
  universe: exactly,
  matched: exactly,
  inUniverse: (_, devices) => exactly(devices),
  inAudience: (_, devices) => exactly(devices),
};
