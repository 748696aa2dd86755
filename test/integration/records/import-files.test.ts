import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { type Claim, ClaimLost } from '../../../src/records/queue/jobs.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let partnerId: number;
let importLogId: number;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  ({ partnerId } = await records.partners.create('acme'));
  importLogId = await queueImport(records, partnerId, {
    filePath: 'day/',
    keyType: 0,
    pathType: 0,
  });
});
afterEach(() => fresh[Symbol.asyncDispose]());

async function claimed(): Promise<Claim> {
  const claim = await records.jobs.claim(60);
  if (!claim) throw new Error('no job to claim');
  return claim;
}

/** Releases the job and claims it again. */
async function nextAttempt(claim: Claim): Promise<Claim> {
  await records.jobs.release(claim, 0);
  return claimed();
}

async function states(): Promise<string[]> {
  const files = await records.importFiles.list(importLogId);
  return files.map(({ s3Path, state }) => `${s3Path} ${state}`);
}

describe('the files of an import', () => {
  it('are those that its attempt found, in order and pending', async () => {
    await records.importFiles.begin(await claimed(), ['p/b', 'p/B', 'p/é, "1"', 'p/\\{}']);
    const untouched = { state: 'pending', totalRows: 0, rejectedRows: 0 };
    expect(await records.importFiles.list(importLogId)).toEqual(
      ['p/b', 'p/B', 'p/é, "1"', 'p/\\{}'].map((s3Path, index) => ({
        number: index + 1,
        s3Path,
        ...untouched,
        updatedAt: expect.any(Date),
      })),
    );
  });

  it('can be updated one at a time or together', async () => {
    const claim = await claimed();
    await records.importFiles.begin(claim, ['p/1', 'p/2', 'p/3']);
    const [before] = await records.importFiles.list(importLogId);
    await records.importFiles.update(claim, 0, { state: 'done', totalRows: 7, rejectedRows: 2 });
    await records.importFiles.updateAll(claim, [
      { position: 2, state: 'running', totalRows: 2 ** 40, rejectedRows: 0 },
      { position: 1, state: 'failed', totalRows: 5, rejectedRows: 5 },
    ]);
    const after = await records.importFiles.list(importLogId);
    expect(after).toMatchObject([
      { s3Path: 'p/1', state: 'done', totalRows: 7, rejectedRows: 2 },
      { s3Path: 'p/2', state: 'failed', totalRows: 5, rejectedRows: 5 },
      { s3Path: 'p/3', state: 'running', totalRows: 2 ** 40, rejectedRows: 0 },
    ]);
    expect(after[0]!.updatedAt.getTime()).toBeGreaterThanOrEqual(before!.updatedAt.getTime());
  });

  it('are replaced, together with their rejects, when an attempt starts over', async () => {
    const claim = await claimed();
    const reject = { line: 1, code: 'no_keys', original: Buffer.from('x') } as const;
    await records.importFiles.begin(claim, ['p/1', 'p/2']);
    await records.rejects.add(claim, 0, [reject]);
    await records.importFiles.begin(claim, ['p/2']);
    await records.rejects.add(claim, 0, [{ ...reject, line: 2 }]);
    expect(await states()).toEqual(['p/2 pending']);
    expect(await Array.fromAsync(records.rejects.read(importLogId))).toEqual([
      [{ ...reject, s3Path: 'p/2', line: 2 }],
    ]);
  });

  it('are empty before an attempt has found some, and after an attempt was released', async () => {
    expect(await states()).toEqual([]);
    const first = await claimed();
    await records.importFiles.begin(first, ['p/1']);
    expect(await states()).toEqual(['p/1 pending']);
    await records.jobs.release(first, 0);
    expect(await states()).toEqual([]);
    const second = await claimed();
    expect(await states()).toEqual([]);
    await records.importFiles.begin(second, ['p/1', 'p/2']);
    expect(await states()).toEqual(['p/1 pending', 'p/2 pending']);
  });

  it('cannot be changed by an attempt that lost its claim', async () => {
    const lost = await claimed();
    await records.importFiles.begin(lost, ['p/1']);
    await records.importFiles.begin(await nextAttempt(lost), ['p/2']);
    const done = { state: 'done', totalRows: 1, rejectedRows: 0 } as const;
    await expect(records.importFiles.begin(lost, ['p/1'])).rejects.toThrow(ClaimLost);
    await expect(records.importFiles.update(lost, 0, done)).rejects.toThrow(ClaimLost);
    expect(await states()).toEqual(['p/2 pending']);
  });

  it('distinguish, after a failed import, the file being read from those never begun', async () => {
    const claim = await claimed();
    await records.importFiles.begin(claim, ['p/1', 'p/2', 'p/3']);
    const counts = { totalRows: 3, rejectedRows: 0 };
    await records.importFiles.update(claim, 0, { state: 'done', ...counts });
    await records.importFiles.update(claim, 1, { state: 'running', ...counts });
    await records.jobs.expireLease(claim);
    expect(await states()).toEqual(['p/1 done', 'p/2 running', 'p/3 pending']);
    await records.jobs.reclaimExpired(1);
    expect(await states()).toEqual(['p/1 done', 'p/2 failed', 'p/3 pending']);
  });
});
