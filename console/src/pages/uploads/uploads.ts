import { ProblemError } from '../../api/problem.ts';
import { maximumUploadBytes, pathInFolder } from './upload-place.ts';

interface UploadProblem {
  readonly text: string;
  /** The failed request, if there was one. */
  readonly requestId?: string | undefined;
}

/** One upload from the browser to the partner's prefix. */
export interface Upload {
  readonly id: number;
  readonly file: File;
  /** Under the partner's prefix. */
  readonly path: string;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled' | 'refused';
  readonly sentBytes: number;
  /** Why it failed or was refused. */
  readonly problem: UploadProblem | null;
  /** Uploads a file that is too large for a browser. */
  readonly command: string | null;
}

/** The presigned URL for one file. */
interface UploadLink {
  readonly s3_path: string;
  readonly url: string;
}

export interface UploadDependencies {
  /** Requests a presigned URL for a path. */
  link(path: string): Promise<UploadLink>;
  send(
    url: string,
    file: File,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** The command that uploads a file that is too large. */
  commandFor(link: UploadLink, file: File): string;
}

/** More uploads at once would only share the same bandwidth. */
const maximumAtOnce = 2;

export type Uploads = ReturnType<typeof createUploads>;

/** Uploads files two at a time, in the order added. Each can be cancelled and retried. */
export function createUploads({ link, send, commandFor }: UploadDependencies) {
  const listeners = new Set<() => void>();
  const sending = new Map<number, AbortController>();
  let uploads: readonly Upload[] = [];
  let lastId = 0;

  function set(next: readonly Upload[]): void {
    uploads = next;
    for (const notify of listeners) notify();
  }

  function change(id: number, members: Partial<Upload>): void {
    set(uploads.map((upload) => (upload.id === id ? { ...upload, ...members } : upload)));
  }

  function startNext(): void {
    for (const upload of uploads) {
      if (sending.size >= maximumAtOnce) return;
      if (upload.state === 'waiting') void transfer(upload);
    }
  }

  async function transfer({ id, path, file }: Upload): Promise<void> {
    const stop = new AbortController();
    sending.set(id, stop);
    change(id, { state: 'sending', sentBytes: 0, problem: null });
    try {
      const { url } = await link(path);
      stop.signal.throwIfAborted();
      await send(url, file, (sentBytes) => change(id, { sentBytes }), stop.signal);
      change(id, { state: 'done', sentBytes: file.size });
    } catch (error) {
      if (!stop.signal.aborted) change(id, { state: 'failed', problem: problemFrom(error) });
    } finally {
      // If it was cancelled and retried in the meantime, the map has a newer entry.
      if (sending.get(id) === stop) sending.delete(id);
      startNext();
    }
  }

  /** Shows the command for a file that is too large to upload here. */
  async function addCommand({ id, path, file }: Upload): Promise<void> {
    try {
      change(id, { command: commandFor(await link(path), file) });
    } catch (error) {
      change(id, { problem: problemFrom(error) });
    }
  }

  function stopSending(id: number): void {
    sending.get(id)?.abort();
    sending.delete(id);
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    list: () => uploads,

    add(files: Iterable<File>, folder: string): void {
      for (const file of files) {
        const path = pathInFolder(folder, file.name);
        const problem = refusalOf(file, path, uploads);
        const upload: Upload = {
          id: ++lastId,
          file,
          path,
          state: problem === null ? 'waiting' : 'refused',
          sentBytes: 0,
          problem,
          command: null,
        };
        set([...uploads, upload]);
        if (file.size > maximumUploadBytes) void addCommand(upload);
      }
      startNext();
    },

    cancel(id: number): void {
      change(id, { state: 'cancelled' });
      stopSending(id);
      startNext();
    },

    retry(id: number): void {
      change(id, { state: 'waiting', sentBytes: 0, problem: null });
      startNext();
    },

    /** Removes it from the list. An uploaded file stays in the storage. */
    remove(id: number): void {
      set(uploads.filter((upload) => upload.id !== id));
      stopSending(id);
      startNext();
    },

    /** Cancels everything, when the page is left. */
    stop(): void {
      set(uploads.map((each) => (isUnderWay(each) ? { ...each, state: 'cancelled' } : each)));
      for (const id of [...sending.keys()]) stopSending(id);
    },
  };
}

export function isUnderWay({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending';
}

function refusalOf(file: File, path: string, others: readonly Upload[]): UploadProblem | null {
  if (file.size > maximumUploadBytes) {
    const text =
      'The file is larger than 5 GiB, which a browser cannot upload. Use this command instead:';
    return { text };
  }
  const hasPath = (other: Upload) => other.path === path && other.state !== 'refused';
  const text =
    'Another file in this list has the same path. Dismiss that one first, or choose another folder.';
  return others.some(hasPath) ? { text } : null;
}

function problemFrom(error: unknown): UploadProblem {
  return {
    text: error instanceof Error ? error.message : String(error),
    requestId: error instanceof ProblemError ? error.problem.requestId : undefined,
  };
}
