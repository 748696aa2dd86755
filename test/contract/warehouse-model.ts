import type { LoadMeaning } from '../../src/warehouse/port.ts';
import type { Row } from '../support/row-batches.ts';

/** The expected content of a warehouse: a set of devices for each segment. */
export class WarehouseModel {
  readonly #segments = new Map<number, Set<string>>();
  readonly suppressed = new Set<string>();

  devicesOf(segmentId: number): Set<string> {
    const devices = this.#segments.get(segmentId) ?? new Set();
    this.#segments.set(segmentId, devices);
    return devices;
  }

  /** No segment may hold these devices any more. */
  suppress(devices: readonly string[]): void {
    for (const device of devices) {
      this.suppressed.add(device);
      for (const held of this.#segments.values()) held.delete(device);
    }
  }

  load(all: readonly Row[], { segmentIds, everyRow, mode }: LoadMeaning): void {
    const rows = all.filter(({ device }) => !this.suppressed.has(device));
    const adding = rows.filter(({ isRemoval }) => !isRemoval);
    if (mode === 'replace') {
      const named = new Set(all.flatMap(({ numbers }) => numbers.map((n) => segmentIds[n]!)));
      for (const segmentId of named) this.drop(segmentId);
      if (everyRow !== null && all.length > 0) this.drop(everyRow);
    }
    // All removals of a load apply before its additions, whatever their order.
    for (const { device, numbers } of rows.filter(({ isRemoval }) => isRemoval)) {
      const leaving = numbers.length === 0 ? segmentIds : numbers.map((n) => segmentIds[n]!);
      for (const segmentId of leaving) this.devicesOf(segmentId).delete(device);
    }
    for (const { device, numbers } of adding) {
      for (const number of numbers) this.devicesOf(segmentIds[number]!).add(device);
      if (everyRow !== null) this.devicesOf(everyRow).add(device);
    }
  }

  drop(segmentId: number): void {
    this.#segments.delete(segmentId);
  }

  union(segmentIds: readonly number[]): Set<string> {
    return new Set(segmentIds.flatMap((segmentId) => [...this.devicesOf(segmentId)]));
  }

  /** Devices of the rows that the segment does not hold yet and that may be stored. */
  newTo(segmentId: number, rows: readonly Row[]): Set<string> {
    const held = this.devicesOf(segmentId);
    const isNew = (device: string) => !held.has(device) && !this.suppressed.has(device);
    return new Set(rows.map(({ device }) => device).filter(isNew));
  }

  /** Distinct devices of the rows that may be stored. */
  loaded(rows: readonly Row[]): number {
    const devices = new Set(rows.map(({ device }) => device));
    return [...devices].filter((device) => !this.suppressed.has(device)).length;
  }

  overlap(of: ReadonlySet<string>, segmentIds: readonly number[]): number[] {
    return segmentIds.map((segmentId) => {
      const others = this.devicesOf(segmentId);
      return [...of].filter((device) => others.has(device)).length;
    });
  }
}
