import { emitImportLogs } from '../../actions/job-events.ts';
import type { Records } from '../../records/records.ts';
import { inSpan } from '../../trace/span.ts';
import type { Warehouse } from '../../warehouse/port.ts';
import { type JobHandler, JobTooLarge } from '../worker/job-handler.ts';

export interface DeletionDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
}

/** Counting the devices of this many rows takes a tenth of a second. */
const maxSmallRows = 1_000_000;

/** Deletes all devices of a partner's attributes and, if requested, the attributes themselves. */
export function createDeletion({ records, warehouse }: DeletionDependencies): JobHandler {
  return {
    async run(claim, signal) {
      const { keyType, keys, withDefinitions } = await records.importLogs.deletion(claim.jobId);
      // Attributes deleted since the submission are not found and are skipped.
      const attributes = await records.attributes.findByKeys(claim.partnerId, keyType, keys);
      const segmentIds = attributes.map(({ segmentId }) => segmentId);
      const runs = await records.manifest.runsOf(segmentIds);
      const totalRows = runs.reduce((sum, { devices }) => sum + devices, 0);
      if (claim.mustBeSmall && totalRows > maxSmallRows) throw new JobTooLarge();
      const uniqueDevices = await inSpan('count', () =>
        warehouse.countDistinct(segmentIds, signal),
      );
      const commit = async (tx: Records) => {
        await tx.jobs.settle(claim, 'done');
        await tx.manifest.apply({ add: [], drop: runs }, 'deletion');
        if (withDefinitions) await tx.attributes.remove(attributes);
        await tx.importLogs.settle(claim.jobId, { totalRows, uniqueDevices, problems: [] });
        await emitImportLogs(tx, 'deletion.finished', [claim]);
      };
      await inSpan('commit', () => records.inTransaction(commit));
      return { outcome: 'done', rows: totalRows, errorCode: undefined };
    },

    async giveUp(tx, jobId, problem) {
      await tx.importLogs.settle(jobId, { uniqueDevices: 0, totalRows: 0, problems: [problem] });
    },
  };
}
