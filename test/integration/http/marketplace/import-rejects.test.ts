import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import type { NewReject } from '../../../../src/records/queue/rejects.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** An import with these rejected rows, and functions that download them. */
async function importWith(...files: NewReject[][]) {
  const { partner, apiKey: token } = await service.partner();
  const { importFiles, rejects, jobs } = service.records;
  const request = { filePath: 'x', keyType: 1, pathType: 0 } as const;
  const importLogId = await queueImport(service.records, partner.partnerId, request);
  const claim = (await jobs.claim(60))!;
  await importFiles.begin(
    claim,
    files.map((_, index) => `p/${index}.csv`),
  );
  for (const [position, rows] of files.entries()) {
    await rejects.add(claim, position, rows);
  }
  await jobs.settle(claim, 'done');
  return {
    importLogId,
    download: (accept = '*/*', method = 'GET') =>
      service.call(method, `/v1/marketplace/import/${importLogId}/rejects`, {
        token,
        headers: { accept },
      }),
  };
}

function rejected(line: number, original: string | Uint8Array): NewReject {
  return { line, code: 'malformed_id', original: Buffer.from(original) };
}

describe('rejected rows', () => {
  test('are CSV, ordered by file and line, with a file name', async () => {
    const { download, importLogId } = await importWith(
      [rejected(3, 'abc,k'), rejected(2, 'say "x"')],
      [{ line: 7, code: 'unknown_key', original: Buffer.from('ümlaut') }],
    );
    const answer = await download();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="import-${importLogId}-rejects.csv"`,
    );
    expect(answer.headers.get('vary')).toBe('accept');
    expect(answer.text.split('\r\n')).toEqual([
      'file,line,code,original',
      'p/0.csv,2,malformed_id,"say ""x"""',
      'p/0.csv,3,malformed_id,"abc,k"',
      'p/1.csv,7,unknown_key,ümlaut',
      '',
    ]);
  });

  test('cannot run formulas in a spreadsheet', async () => {
    const { download } = await importWith(
      ['=1+1', '+1', '-1', '@a', '=HYPERLINK("http://x"),k'].map((text, n) =>
        rejected(n + 1, text),
      ),
    );
    const lines = (await download()).text.trimEnd().split('\r\n').slice(1);
    expect(lines).toEqual([
      `p/0.csv,1,malformed_id,'=1+1`,
      `p/0.csv,2,malformed_id,'+1`,
      `p/0.csv,3,malformed_id,'-1`,
      `p/0.csv,4,malformed_id,'@a`,
      `p/0.csv,5,malformed_id,"'=HYPERLINK(""http://x""),k"`,
    ]);
  });

  test('are JSON lines with the exact bytes, if the client prefers it', async () => {
    const cut = Buffer.from('x,ü').subarray(0, 3);
    const { download, importLogId } = await importWith([
      rejected(1, '=1+1,"k"\0'),
      rejected(2, cut),
      rejected(3, ''),
    ]);
    const answer = await download('application/x-ndjson');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain(`${importLogId}-rejects.jsonl`);
    const lines = answer.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        file: 'p/0.csv',
        line: 1,
        code: 'malformed_id',
        original: '=1+1,"k"\0',
        encoding: 'utf-8',
      },
      {
        file: 'p/0.csv',
        line: 2,
        code: 'malformed_id',
        original: cut.toString('base64'),
        encoding: 'base64',
      },
      { file: 'p/0.csv', line: 3, code: 'malformed_id', original: '', encoding: 'utf-8' },
    ]);
    expect((await download('text/csv')).text).toContain('p/0.csv,2,malformed_id,"x,\ufffd"\r\n');
  });

  test('are streamed completely when there are ten thousand', async () => {
    const rejects = Array.from({ length: 10_000 }, (_, n) => rejected(n + 1, 'x'.repeat(1024)));
    const { download } = await importWith(rejects);
    const answer = await download();
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    const lines = answer.text.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => Number(line.split(',')[1]))).toEqual(rejects.map((_, n) => n + 1));
  });

  test('are only a header, or no lines, if there are none', async () => {
    const { download } = await importWith([]);
    expect((await download()).text).toBe('file,line,code,original\r\n');
    expect((await download('application/x-ndjson')).text).toBe('');
  });

  test('respond to HEAD with headers only', async () => {
    const { download } = await importWith([rejected(1, 'x')]);
    const answer = await download('*/*', 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });
});
