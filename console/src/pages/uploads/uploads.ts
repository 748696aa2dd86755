import { maximumUploadBytes, pathInFolder } from './upload-place.ts';

/** One file on its way from the browser into the partner's prefix. */
export interface Upload {
  readonly id: number;
  readonly file: File;
  /** Below the partner's prefix. */
  readonly path: string;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled' | 'refused';
  readonly sentBytes: number;
  /** Why it failed or was refused. */
  readonly problem: string | null;
  /** What brings a file there that is too large for a browser. */
  readonly command: string | null;
}

/** Where the bytes of one file may be put. */
interface UploadLink {
  readonly s3_path: string;
  readonly url: string;
}

export interface UploadDependencies {
  /** Asks for the right to put a file at a path. */
  link(path: string): Promise<UploadLink>;
  send(
    url: string,
    file: File,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** How to copy what is too large, given where it would go. */
  commandFor(link: UploadLink, file: File): string;
}

/** More would only share the same line. */
const atOnce = 2;

export type Uploads = ReturnType<typeof createUploads>;

/** The files that are uploaded, two at a time in the order added; each can be stopped and tried again. */
export function createUploads({ link, send, commandFor }: UploadDependencies) {
  const listeners = new Set<() => void>();
  const sending = new Map<number, AbortController>();
  let uploads: readonly Upload[] = [];
  let lastId = 0;

  function set(next: readonly Upload[]): void {
    uploads = next;
    for (const tell of listeners) tell();
  }

  function change(id: number, members: Partial<Upload>): void {
    set(uploads.map((upload) => (upload.id === id ? { ...upload, ...members } : upload)));
  }

  function startNext(): void {
    for (const upload of uploads) {
      if (sending.size >= atOnce) return;
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
      if (!stop.signal.aborted) change(id, { state: 'failed', problem: sentenceOf(error) });
    } finally {
      // One that was stopped and has been started again since has a newer entry here.
      if (sending.get(id) === stop) sending.delete(id);
      startNext();
    }
  }

  /** A file that is too large is not sent, but told how it gets there all the same. */
  async function explain({ id, path, file }: Upload): Promise<void> {
    try {
      change(id, { command: commandFor(await link(path), file) });
    } catch (error) {
      change(id, { problem: sentenceOf(error) });
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
        if (file.size > maximumUploadBytes) void explain(upload);
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

    /** Takes one off the list. What was uploaded stays where it is. */
    remove(id: number): void {
      set(uploads.filter((upload) => upload.id !== id));
      stopSending(id);
      startNext();
    },

    /** Nobody looks any more: whatever is on its way is given up. */
    stop(): void {
      set(uploads.map((each) => (isUnderWay(each) ? { ...each, state: 'cancelled' } : each)));
      for (const id of [...sending.keys()]) stopSending(id);
    },
  };
}

export function isUnderWay({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending';
}

function refusalOf(file: File, path: string, others: readonly Upload[]): string | null {
  if (file.size > maximumUploadBytes) {
    return 'It is larger than 5 GiB, more than a browser can upload in one go. Copy it with this command instead:';
  }
  const hasPath = (other: Upload) => other.path === path && other.state !== 'refused';
  return others.some(hasPath)
    ? 'Another file in this list goes to the same path. Take that one off the list first, or choose another folder.'
    : null;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
