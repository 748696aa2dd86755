import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BenchCase } from '../harness/bench-case.ts';
import { pollWhile } from '../harness/polling.ts';
import { forgetPeak, statusBytes } from '../harness/process-status.ts';
import { type BenchService, callAs, processOf, startBenchService } from '../harness/service.ts';
import { median, percentile, takeTurns } from '../harness/turns.ts';
import { makeFolder } from '../harness/world.ts';

const rounds = 5;
const md5Program = fileURLToPath(new URL('../peers/md5-program.ts', import.meta.url));
const chunkBytes = 1 << 20;

/**
 * One large upload by curl through the embedded S3 endpoint, with an unsigned payload over loopback.
 * The lower bound is one core computing the MD5 of the same bytes, which every S3 upload needs.
 */
export const upload: BenchCase = {
  name: 'upload',
  async run({ scaled }) {
    const folder = await makeFolder();
    try {
      const file = join(folder, 'upload.bin');
      await makeFile(file, scaled(500_000_000));
      await using service = await startBenchService(join(folder, 'data'));
      const api = await processOf(service, 'api');
      const latencies: number[] = [];
      const grown: number[] = [];

      async function uploadOnce(): Promise<number> {
        const url = await presigned(service, 'upload.bin');
        await forgetPeak(api);
        const before = await statusBytes(api, 'VmRSS');
        const polling = pollWhile(() => callAs(service, '')('GET', '/healthz'), 100);
        const seconds = await secondsOf('curl', [...curlOptions, '--upload-file', file, url]);
        latencies.push(...(await polling.stop()));
        grown.push((await statusBytes(api, 'VmHWM')) - before);
        return seconds;
      }

      const measured = await takeTurns(rounds, {
        md5: { run: () => secondsOf(process.execPath, [md5Program, file]) },
        upload: { run: uploadOnce },
      });
      return {
        title: 'Upload of 500 MB through the S3 endpoint',
        findings: [
          {
            what: 'upload of 500 MB',
            ours: { value: median(measured.upload), unit: 's', of: rounds },
            peer: {
              name: 'MD5 alone',
              value: median(measured.md5),
              unit: 's',
              of: rounds,
            },
            target: { kind: 'times_peer', limit: 2 },
          },
          {
            what: 'growth of the API process',
            ours: { value: Math.max(...grown) / 1e6, unit: 'MB', of: rounds },
            target: { kind: 'at_most', limit: 150 },
          },
          {
            what: 'p95 of GET /healthz during the upload',
            ours: { value: percentile(latencies, 0.95), unit: 'ms', of: latencies.length },
            target: { kind: 'at_most', limit: 10 },
          },
        ],
        remarks: [],
        measured: { ...measured, grown, latencies },
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function makeFile(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w');
  const chunk = Buffer.alloc(chunkBytes);
  for (let written = 0; written < bytes; written += chunk.length) {
    // Every chunk differs and is cheap to create.
    chunk.writeUInt32LE(written, 0);
    await file.write(chunk, 0, Math.min(chunk.length, bytes - written));
  }
}

async function presigned(service: BenchService, name: string): Promise<string> {
  const operator = callAs(service, service.adminToken);
  const issued = await operator<
    Record<'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKeyId' | 'secretAccessKey', string>
  >('POST', '/admin/v1/partners/1/storage-credentials');
  const client = new S3Client({
    endpoint: issued.endpoint,
    region: issued.region,
    forcePathStyle: true,
    credentials: { accessKeyId: issued.accessKeyId, secretAccessKey: issued.secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const command = new PutObjectCommand({ Bucket: issued.bucket, Key: issued.prefix + name });
  return getSignedUrl(client, command, { expiresIn: 3600 });
}

/** Fails on an error response, and prints how long the upload took. */
const curlOptions = [
  '--silent',
  '--show-error',
  '--fail',
  '--output',
  '/dev/null',
  '--write-out',
  '%{time_total}',
];

/** Runs one side in its own process, which prints its seconds, so the sides do not affect each other. */
async function secondsOf(program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} failed`);
  return Number(printed);
}
