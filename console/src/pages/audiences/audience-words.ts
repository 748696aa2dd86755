import { counted, exactTime } from '../../parts/format.ts';

const stateWords = ['Waiting to load', 'Loading', 'Loaded', 'Errors'] as const;

interface Status {
  readonly status: number;
  /** Null if files were appended since, or if it is not known yet. */
  readonly cleared_at?: string | null | undefined;
}

/** The status of an audience, short enough for a table. */
export function stateWord({ status, cleared_at }: Status): string {
  if (status === 2 && cleared_at) return 'Cleared';
  return stateWords[status] ?? 'Unknown';
}

interface LoadStatus extends Status {
  readonly file: readonly unknown[];
}

/** How the last load ended; empty while one waits or runs. */
export function statusSentence({ status, cleared_at, file }: LoadStatus): string {
  if (status === 2 && cleared_at) return `Cleared on ${exactTime(new Date(cleared_at))}.`;
  if (status === 3) return 'Some files could not be loaded. See the problems below.';
  if (status !== 2) return '';
  return file.length === 0 ? 'The audience is empty.' : 'All files are loaded.';
}

interface Owned {
  readonly partner_name: string;
  readonly customer_name: string | null;
}

/** The partner or the customer, whichever the reader is not. */
export function ownersOf({ partner_name, customer_name }: Owned, reader: string): string {
  if (reader === 'customer') return `Loaded by ${partner_name}`;
  return customer_name === null ? 'For no customer' : `For ${customer_name}`;
}

interface Counts {
  readonly unique_devices: number;
  readonly matched_devices: number;
}

/** The share of an audience's devices that are in the marketplace; null if it has no devices. */
export function matchRate({ unique_devices, matched_devices }: Counts): number | null {
  return unique_devices === 0 ? null : matched_devices / unique_devices;
}

interface Clearable {
  readonly unique_devices: number;
  readonly file: readonly { readonly status: number }[];
}

/** What clearing an audience removes and cancels, a sentence each. */
export function clearingLoses({ unique_devices, file }: Clearable, openLoads: number): string[] {
  return [
    unique_devices === 0
      ? 'The audience has no devices.'
      : `${counted(unique_devices, 'device and its', 'devices and their')} event labels are removed.`,
    ...(file.length === 0
      ? []
      : [
          `${counted(file.length, 'file is', 'files are')} removed from the list. The uploaded files stay and can be loaded again.`,
        ]),
    ...(openLoads === 0
      ? []
      : [
          `${counted(openLoads, 'waiting or running load is', 'waiting or running loads are')} cancelled.`,
        ]),
    'The composition report is unavailable until something is loaded again.',
  ];
}
