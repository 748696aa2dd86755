import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const request = { filePath: 'x/', keyType: 1, pathType: 0 } as const;
const path = (importLogId: number) => `/v1/marketplace/import/${importLogId}/files`;

test('the files of an import are listed with status and rows, in key order', async () => {
  const { partner, apiKey: token } = await service.partner();
  const { importFiles, jobs } = service.records;
  const importLogId = await queueImport(service.records, partner.partnerId, request);
  const files = async () => service.call('GET', path(importLogId), { token });
  expect(await files()).toMatchObject({ status: 200, body: [] });

  const claim = (await jobs.claim(60))!;
  await importFiles.begin(claim, ['p/x/1.csv', 'p/x/2.csv', 'p/x/3.csv', 'p/x/4.csv']);
  const rows = { totalRows: 9_007_199_254_740_991, rejectedRows: 1 };
  await importFiles.update(claim, 0, { state: 'done', ...rows });
  await importFiles.update(claim, 1, { state: 'failed', totalRows: 7, rejectedRows: 7 });
  await importFiles.update(claim, 2, { state: 'running', totalRows: 3, rejectedRows: 0 });
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect((await files()).body).toEqual(
    [
      { status: 2, total_rows: 9_007_199_254_740_991, rejected_rows: 1 },
      { status: 3, total_rows: 7, rejected_rows: 7 },
      { status: 1, total_rows: 3, rejected_rows: 0 },
      { status: 0, total_rows: 0, rejected_rows: 0 },
    ].map((file, index) => ({
      s3_path: `p/x/${index + 1}.csv`,
      ...file,
      updated_at: timestamp,
    })),
  );
});

test.each(['files', 'rejects', 'progress'])(
  'the %s of an unknown import or of another partner are not found',
  async (part) => {
    const [mine, theirs] = [await service.partner(), await service.partner()];
    const foreign = await queueImport(service.records, theirs.partner.partnerId, request);
    for (const id of [foreign, '0', 'abc', '1%00', '9007199254740991', '1.0']) {
      const where = `/v1/marketplace/import/${id}/${part}`;
      for (const accept of ['*/*', 'application/x-ndjson', 'text/event-stream']) {
        const answer = await service.call('GET', where, {
          token: mine.apiKey,
          headers: { accept },
        });
        expect(expectProblem(answer, 404, 'not_found').detail).toBe('No such import log.');
        expect(answer.headers.get('content-disposition')).toBeNull();
      }
    }
  },
);
