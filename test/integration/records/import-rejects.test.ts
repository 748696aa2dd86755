import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import { type Claim, ClaimLost } from '../../../src/records/queue/jobs.ts';
import type { NewReject, Reject } from '../../../src/records/queue/rejects.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
});
afterEach(() => fresh[Symbol.asyncDispose]());

/** A running import of two files, p/0 and p/1, of a new partner unless one is given. */
async function importing(ofPartner?: number): Promise<Claim> {
  const partnerId = ofPartner ?? (await records.partners.create('acme')).partnerId;
  await queueImport(records, partnerId, { filePath: 'p/', keyType: 0, pathType: 0 });
  const claim = await records.jobs.claim(60);
  await records.importFiles.begin(claim!, ['p/0', 'p/1']);
  return claim!;
}

function reject(line: number, original: string | Uint8Array = `line ${line}`): NewReject {
  return { line, code: 'malformed_id', original: Buffer.from(original) };
}

async function pages({ jobId }: Claim): Promise<(readonly Reject[])[]> {
  return Array.fromAsync(records.rejects.read(jobId));
}

async function lines(claim: Claim): Promise<string[]> {
  return (await pages(claim)).flat().map(({ s3Path, line }) => `${s3Path}:${line}`);
}

describe('rejected rows', () => {
  it('are read as exactly their original bytes, by file and line', async () => {
    const claim = await importing();
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i % 256);
    await records.rejects.add(claim, 1, [reject(3, bytes)]);
    await records.rejects.add(claim, 0, [reject(2 ** 33, ''), reject(9)]);
    expect(await pages(claim)).toEqual([
      [
        { s3Path: 'p/0', code: 'malformed_id', line: 9, original: Buffer.from('line 9') },
        { s3Path: 'p/0', code: 'malformed_id', line: 2 ** 33, original: Buffer.alloc(0) },
        { s3Path: 'p/1', code: 'malformed_id', line: 3, original: Buffer.from(bytes) },
      ],
    ]);
  });

  it('are read in pages, without gaps or duplicates', async () => {
    const claim = await importing();
    const many = Array.from({ length: 300 }, (_, i) => reject(i + 1));
    await records.rejects.add(claim, 0, many);
    await records.rejects.add(claim, 1, many);
    const read = await pages(claim);
    expect(read.map((page) => page.length)).toEqual([200, 200, 200]);
    expect(await lines(claim)).toEqual(
      ['p/0', 'p/1'].flatMap((file) => many.map(({ line }) => `${file}:${line}`)),
    );
  });

  it('are those of the current attempt', async () => {
    const lost = await importing();
    await records.rejects.add(lost, 0, [reject(1)]);
    expect(await lines(lost)).toEqual(['p/0:1']);
    await records.jobs.release(lost, 0);
    expect(await lines(lost)).toEqual([]);
    const claim = await records.jobs.claim(60);
    expect(await lines(lost)).toEqual([]);
    await records.importFiles.begin(claim!, ['p/new']);
    await records.rejects.add(claim!, 0, [reject(2)]);
    await expect(records.rejects.add(lost, 1, [reject(3)])).rejects.toThrow(ClaimLost);
    expect(await lines(lost)).toEqual(['p/new:2']);
    await records.jobs.settle(claim!, 'failed');
    expect(await lines(lost)).toEqual(['p/new:2']);
  });

  it('are empty for a job without rejects and for an unknown job', async () => {
    const claim = await importing();
    expect(await pages(claim)).toEqual([]);
    expect(await Array.fromAsync(records.rejects.read(999_999))).toEqual([]);
  });

  it('are deleted 30 days after their job ended, and not before', async () => {
    const ended = [await importing(), await importing(), await importing()];
    const running = await importing();
    for (const claim of [...ended, running]) {
      await records.rejects.add(claim, 0, [reject(1), reject(2)]);
    }
    const days = ['29 days 23 hours', '30 days 1 hour', '400 days', '400 days'];
    for (const [n, claim] of [...ended, running].entries()) {
      if (claim !== running) await records.jobs.settle(claim, n === 1 ? 'failed' : 'done');
      await sql`
        update job set updated_at = now() - ${days[n]}::interval where job_id = ${claim.jobId}
      `.execute(fresh.db);
    }
    const { signal } = new AbortController();
    expect(await pruneExpired(records).run(signal)).toMatchObject({
      rejects: 4,
      idempotencyKeys: 0,
    });
    const left = await Promise.all([...ended, running].map(lines));
    expect(left.map(({ length }) => length)).toEqual([2, 0, 0, 2]);
    expect(await records.importFiles.list(ended[2]!.jobId)).toHaveLength(2);
    expect(await pruneExpired(records).run(signal)).toMatchObject({
      rejects: 0,
      idempotencyKeys: 0,
    });
  });
});

describe('the bytes of rejected rows', () => {
  const allowance = { bytesPerJob: 1_000, bytesPerPartner: 2_500 };
  /** Rejects that take 200 bytes each. */
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => reject(i + 1, 'x'.repeat(100)));

  /** What is counted for each job, after a check against a count of the rows. */
  async function counted(): Promise<Record<number, number>> {
    const { rows } = await sql<{ jobId: number; counted: number; real: number }>`
      select job_id as "jobId", coalesce(reject_use.bytes, 0) as counted, coalesce(real.bytes, 0) as real
      from reject_use full join (
        select job_id, sum(octet_length(original) + 100) as bytes from import_reject group by job_id
      ) as real using (job_id)
    `.execute(fresh.db);
    for (const row of rows) expect(row.counted).toBe(row.real);
    return Object.fromEntries(rows.map(({ jobId, counted }) => [jobId, counted]));
  }

  it('are bounded for a job, whatever its files and attempts', async () => {
    const claim = await importing();
    expect(await records.rejects.add(claim, 0, many(3), allowance)).toBe(3);
    expect(await records.rejects.add(claim, 1, many(3), allowance)).toBe(2);
    expect(await records.rejects.add(claim, 1, many(1), allowance)).toBe(0);
    expect(await lines(claim)).toEqual(['p/0:1', 'p/0:2', 'p/0:3', 'p/1:1', 'p/1:2']);
    await records.rejects.removeOfFile(claim, 0);
    expect(await counted()).toEqual({ [claim.jobId]: 400 });
    expect(await records.rejects.add(claim, 0, many(4), allowance)).toBe(3);
    await records.jobs.release(claim, 0);
    const again = (await records.jobs.claim(60))!;
    await records.importFiles.begin(again, ['p/0']);
    expect(await counted()).toEqual({});
    expect(await records.rejects.add(again, 0, many(9), allowance)).toBe(5);
  });

  it('are bounded for a partner: those of its oldest jobs go first', async () => {
    const { partnerId } = await records.partners.create('acme');
    const other = await importing();
    await records.rejects.add(other, 0, many(5), allowance);
    await records.jobs.settle(other, 'done');
    const jobIds: number[] = [];
    for (const rejects of [2, 3, 5, 5]) {
      const claim = await importing(partnerId);
      jobIds.push(claim.jobId);
      expect(await records.rejects.add(claim, 0, many(rejects), allowance)).toBe(rejects);
      await records.jobs.settle(claim, 'done');
    }
    // Before the last job there were 400, 600 and 1,000 bytes. To leave it 1,000, the first two go.
    expect(await counted()).toEqual({
      [other.jobId]: 1_000,
      [jobIds[2]!]: 1_000,
      [jobIds[3]!]: 1_000,
    });
  });
});
