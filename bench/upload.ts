import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { median, printTable, saveResults } from './report.ts';
import { adminTokenOf, apiProcessOf, type BenchService, startBenchService } from './service.ts';

const fileBytes = 500 * 1000 * 1000;
const rounds = 5;
const md5Program = join(import.meta.dirname, 'md5-program.ts');
const chunkBytes = 1 << 20;

/**
 * One large upload by curl through the embedded S3 endpoint, unsigned payload over loopback, beside
 * its floor: one core computing MD5, which every S3 upload needs, over the same bytes.
 */
export async function benchUpload(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'));
  // Under root the database has a user of its own, who must be able to pass.
  await chmod(folder, 0o711);
  try {
    const file = join(folder, 'upload.bin');
    await makeFile(file);
    await using service = await startBenchService(join(folder, 'data'));
    const api = await apiProcessOf(service);
    const md5: number[] = [];
    const upload: number[] = [];
    const grown: number[] = [];
    const latencies: number[] = [];
    for (let round = 0; round < rounds; round++) {
      md5.push(await secondsOf(process.execPath, [md5Program, file]));
      const url = await presigned(service, `round-${round}.bin`);
      const memory = await watchMemory(api);
      const polling = pollWhile(`${service.url}/healthz`, latencies);
      upload.push(await secondsOf('curl', [...curlOptions, '--upload-file', file, url]));
      await polling.stop();
      grown.push(await memory.grownBytes());
    }
    const ratio = median(md5) / median(upload);
    latencies.sort((a, b) => a - b);
    const p95 = latencies[Math.floor(latencies.length * 0.95)] ?? 0;
    printTable('Upload of 500 MB through the S3 endpoint', [
      ['one core computing MD5', `${rate(median(md5))} MB/s`],
      ['upload', `${rate(median(upload))} MB/s`],
      ['upload, of the MD5 rate', `${Math.round(ratio * 100)} %`, 'wanted: 50 % or more'],
      ['API process grew by', `${megabytes(Math.max(...grown))} MB`, 'wanted: under 150 MB'],
      ['GET /healthz meanwhile, p95', `${p95.toFixed(1)} ms`],
    ]);
    await saveResults('upload', { md5, upload, grown, ratio, p95 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeFile(path: string): Promise<void> {
  await using file = await open(path, 'w');
  const chunk = Buffer.alloc(chunkBytes);
  for (let written = 0; written < fileBytes; written += chunk.length) {
    // Every chunk differs, and none costs more to make than to write.
    chunk.writeUInt32LE(written, 0);
    await file.write(chunk, 0, Math.min(chunk.length, fileBytes - written));
  }
}

async function presigned(service: BenchService, name: string): Promise<string> {
  const response = await fetch(`${service.url}/admin/v1/partners/1/storage-credentials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await adminTokenOf(service)}` },
  });
  const issued = (await response.json()) as Record<
    'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKeyId' | 'secretAccessKey',
    string
  >;
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

/** Fails on a refusal, and prints how long the upload took. */
const curlOptions = [
  '--silent',
  '--show-error',
  '--fail',
  '--output',
  '/dev/null',
  '--write-out',
  '%{time_total}',
];

/** Runs one side in a process of its own, which prints its seconds, so that neither pays for the other. */
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

/** The peak of a process's memory from now on, over what it has now. */
async function watchMemory(pid: number) {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await statusBytes(pid, 'VmRSS');
  return { grownBytes: async () => (await statusBytes(pid, 'VmHWM')) - before };
}

async function statusBytes(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

function pollWhile(url: string, latencies: number[]) {
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      const before = performance.now();
      const response = await fetch(url);
      await response.text();
      latencies.push(performance.now() - before);
      await sleep(100, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function rate(seconds: number): number {
  return Math.round(fileBytes / 1e6 / seconds);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
