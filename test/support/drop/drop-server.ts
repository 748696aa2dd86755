import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { zip } from './zip-writer.ts';

/** A work item: an id and the hash of an identifier. */
export interface WorkItem {
  readonly id: string;
  readonly hash: string;
}

/** How the server misbehaves. Everything is off at first. */
interface Misbehaviour {
  /** Answers to the next calls, instead of the right ones. */
  instead: { status: number; headers?: Record<string, string>; body?: string }[];
  /** How often a download answers 202 before the archive is there. */
  preparing: number;
  /** Sends only so many bytes of the next archives. */
  cutAfter: number[];
  /** Ends a cut transfer as if it were complete: without a length, and without an error. */
  cutsSilently: boolean;
  /** Whether an archive is delivered again until something is uploaded. */
  redelivers: boolean;
  /** Pause between two pieces of an archive. */
  slowMs: number;
  /** Does what the next uploads and amendments ask for, and answers nothing. */
  losesAnswers: number;
  /** Rejects files whose name this matches. */
  rejects: { name: RegExp; message: string } | null;
  /** Amendments answer 409. */
  refusesAmendments: boolean;
  /** The body of 401 is bare text. */
  bareText: boolean;
  /** Rows of a list appear twice. */
  repeatsRows: boolean;
  /** Another content for the files of the next archive. */
  archive: Buffer | null;
}

/** A file that the server has accepted. */
interface AcceptedFile {
  readonly operation: 'upload' | 'amend';
  readonly name: string;
  readonly text: string;
}

export interface DropServer extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly misbehaviour: Misbehaviour;
  /** What was wrong with requests and rows, although it was not refused. */
  readonly violations: string[];
  /** Method, path and status of each call. */
  readonly calls: string[];
  readonly accepted: AcceptedFile[];
  /** The last reported status of each item. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Whether a download waits for answers. */
  isOpen(): boolean;
  /** Adds items to a list. They are in the next archive. */
  publish(list: string, items: readonly WorkItem[]): void;
  /** Withdraws items. */
  withdraw(list: string, items: readonly WorkItem[]): void;
  /** The next archive, as the portal would deliver it. */
  takeArchive(): { name: string; content: Buffer };
  /** Called with the rows of each file before it is accepted. */
  onRows: (rows: ReadonlyMap<string, number>) => void;
}

const brokerId = '4821';
const lists = ['NDZ', 'Email', 'Phone', 'MAID', 'NameVIN', 'CTVID'];
const csvName = /^(\d{8})_(\d{4})_([A-Za-z]+)(?:_([A-Za-z0-9]{1,10}))?\.csv$/;

interface Part {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * A stand-in of DROP's API for data brokers. It is built from the published description alone: the three
 * operations, their statuses, the names and headers of files, and one open download at a time.
 */
export async function startDropServer(selected: readonly string[] = ['MAID']): Promise<DropServer> {
  const apiKey = 'drop-key-0123456789abcdef';
  const calls: string[] = [];
  const violations: string[] = [];
  const accepted: AcceptedFile[] = [];
  const statuses = new Map<string, number>();
  const misbehaviour: Misbehaviour = {
    instead: [],
    preparing: 0,
    cutAfter: [],
    cutsSilently: false,
    redelivers: false,
    slowMs: 0,
    losesAnswers: 0,
    rejects: null,
    refusesAmendments: false,
    bareText: false,
    repeatsRows: false,
    archive: null,
  };
  let day = 20_260_312;
  let fresh = new Map<string, WorkItem[]>();
  let withdrawn: (WorkItem & { list: string })[] = [];
  let waits = 0;
  /** The download that waits for answers. */
  let open: {
    archive: { name: string; content: Buffer };
    outstanding: Map<string, string>;
  } | null = null;
  let uploadedNames = new Set<string>();
  let hasUploads = false;

  const server = createServer((request, response) => {
    response.on('close', () => {
      calls.push(`${request.method} ${request.url} ${response.statusCode}`);
    });
    handle(request, response).catch((error) => {
      violations.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const self: DropServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    misbehaviour,
    violations,
    calls,
    accepted,
    statuses,
    isOpen: () => open !== null,
    publish: (list, items) => void fresh.set(list, [...(fresh.get(list) ?? []), ...items]),
    withdraw: (list, items) => void withdrawn.push(...items.map((item) => ({ ...item, list }))),
    takeArchive,
    onRows: () => {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const instead = misbehaviour.instead.shift();
    if (instead) {
      response.writeHead(instead.status, {
        'content-type': 'application/json',
        ...instead.headers,
      });
      response.end(instead.body ?? '{"message":"on purpose"}');
      return;
    }
    if (request.headers['x-api-key'] !== apiKey) {
      const text = misbehaviour.bareText ? 'Unauthorized' : '{"message":"Invalid API key."}';
      response.writeHead(401, { 'content-type': 'application/json' }).end(text);
      return;
    }
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /data/download') await download(request, response);
    else if (route === 'POST /data/upload') await receive('upload', request, response, body);
    else if (route === 'POST /data/amend') await receive('amend', request, response, body);
    else answer(response, 404, { message: 'Not found.' });
  }

  async function download(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!/application\/zip/.test(request.headers.accept ?? '')) {
      violations.push('the download does not accept a ZIP file');
    }
    if (open && !(misbehaviour.redelivers && !hasUploads)) {
      return answer(response, 409, { message: 'The previous download is not complete.' });
    }
    if (!open && fresh.size === 0 && withdrawn.length === 0) {
      return answer(response, 200, { message: 'Nothing new since the last download.' });
    }
    if (waits < misbehaviour.preparing) {
      waits += 1;
      response.setHeader('retry-after', '60');
      return answer(response, 202, { message: 'The archive is being prepared.' });
    }
    waits = 0;
    const archive = open?.archive ?? takeArchive();
    await deliver(response, archive);
  }

  function takeArchive(): { name: string; content: Buffer } {
    const outstanding = new Map<string, string>();
    const files = selected.map((list) => {
      const items = fresh.get(list) ?? [];
      const name = `${day}_${brokerId}_${list}.csv`;
      for (const { id } of items) outstanding.set(id, name);
      const rows = items.map(({ id, hash }) => `${id},${hash}\n`).join('');
      const repeated = misbehaviour.repeatsRows ? rows : '';
      return { name, content: `ID,Hash\n${rows}${repeated}` };
    });
    if (withdrawn.length > 0) {
      const rows = withdrawn.map(({ id, hash, list }) => `${id},${hash},${list}\n`);
      files.push({
        name: `${day}_${brokerId}_Removed.csv`,
        content: `ID,Hash,ListType\n${rows.join('')}`,
      });
    }
    const content = misbehaviour.archive ?? zip(files);
    const archive = { name: `${day}_${brokerId}_DROP.zip`, content };
    misbehaviour.archive = null;
    fresh = new Map();
    withdrawn = [];
    day += 1;
    uploadedNames = new Set();
    hasUploads = false;
    // Empty lists and removed items need no answer.
    open = outstanding.size > 0 ? { archive, outstanding } : null;
    return archive;
  }

  async function deliver(
    response: ServerResponse,
    { name, content }: { name: string; content: Buffer },
  ): Promise<void> {
    const cut = misbehaviour.cutAfter.shift();
    const sent = cut === undefined ? content : content.subarray(0, cut);
    const hasLength = !misbehaviour.cutsSilently;
    response.writeHead(200, {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${name}"`,
      ...(hasLength ? { 'content-length': content.length } : {}),
    });
    const pieces = misbehaviour.slowMs > 0 ? 10 : 1;
    const size = Math.ceil(sent.length / pieces);
    for (let n = 0; n < pieces; n += 1) {
      response.write(sent.subarray(n * size, (n + 1) * size));
      if (misbehaviour.slowMs > 0) await sleep(misbehaviour.slowMs);
    }
    if (cut === undefined || misbehaviour.cutsSilently) response.end();
    else {
      // What was written must arrive first.
      await sleep(20);
      response.destroy();
    }
  }

  async function receive(
    operation: 'upload' | 'amend',
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer<ArrayBuffer>,
  ): Promise<void> {
    if (operation === 'upload' && !open) {
      return answer(response, 409, { message: 'No download awaits responses.' });
    }
    if (operation === 'amend' && misbehaviour.refusesAmendments) {
      return answer(response, 409, { message: 'An amendment is not possible now.' });
    }
    const parts = await partsOf(request, body);
    const outcome = {
      accepted: [] as { fileName: string; fileSizeBytes: number }[],
      rejected: [] as { fileName: string; message: string }[],
    };
    for (const part of parts) {
      const message = faultOf(part) ?? (await take(operation, part));
      if (message !== null) outcome.rejected.push({ fileName: part.name, message });
      else outcome.accepted.push({ fileName: part.name, fileSizeBytes: part.bytes.length });
    }
    if (misbehaviour.losesAnswers > 0) {
      misbehaviour.losesAnswers -= 1;
      response.destroy();
      return;
    }
    answer(response, outcome.accepted.length > 0 ? 202 : 400, {
      message: parts.length === 0 ? 'No CSV file was provided.' : 'The files were received.',
      acceptedCount: outcome.accepted.length,
      rejectedCount: outcome.rejected.length,
      ...outcome,
    });
  }

  function faultOf({ name, bytes }: Part): string | null {
    const { rejects } = misbehaviour;
    if (rejects?.name.test(name)) return rejects.message;
    const [, , broker, list = ''] = csvName.exec(name) ?? [];
    if (broker !== brokerId || !lists.includes(list)) return 'The file is not a CSV.';
    if (uploadedNames.has(name)) return 'A file with this name was already uploaded.';
    const text = bytes.toString();
    if (!Buffer.from(text).equals(bytes)) return 'The file is not readable as UTF-8 CSV.';
    if (!text.startsWith('Id,Status\n')) return 'The header must be Id,Status.';
    return null;
  }

  async function take(operation: 'upload' | 'amend', { name, bytes }: Part): Promise<null> {
    const rows = new Map<string, number>();
    const text = bytes.toString();
    if (/["\r]/.test(text) || !text.endsWith('\n')) violations.push(`${name} has an unusual form`);
    for (const line of text.slice(0, -1).split('\n').slice(1)) {
      const [id = '', status = ''] = line.split(',');
      if (!['2', '3', '4', '5'].includes(status)) violations.push(`${name}: status ${status}`);
      if (rows.has(id)) violations.push(`${name}: ${id} occurs twice`);
      const isKnown = operation === 'upload' ? open?.outstanding.has(id) : statuses.has(id);
      if (!isKnown) violations.push(`${name}: ${id} is not an item of the ${operation}`);
      rows.set(id, Number(status));
    }
    self.onRows(rows);
    for (const [id, status] of rows) {
      statuses.set(id, status);
      if (operation === 'upload') open?.outstanding.delete(id);
    }
    uploadedNames.add(name);
    accepted.push({ operation, name, text });
    if (operation === 'upload') hasUploads = true;
    if (open?.outstanding.size === 0) open = null;
    return null;
  }

  /** The parts of a form, all of the field `files` and of the type text/csv. */
  async function partsOf(request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<Part[]> {
    const type = request.headers['content-type'] ?? '';
    if (!type.startsWith('multipart/form-data')) violations.push(`the upload is ${type}`);
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    const parts: Part[] = [];
    for (const [field, file] of form) {
      if (field !== 'files' || typeof file === 'string') {
        violations.push(`the form has the field ${field}`);
        continue;
      }
      if (file.type !== 'text/csv') violations.push(`a part is ${file.type}`);
      parts.push({ name: file.name, bytes: Buffer.from(await file.arrayBuffer()) });
    }
    return parts;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
