import { count } from '../../parts/format.ts';

const stateWords = ['Waiting to load', 'Loading', 'Loaded', 'Errors'] as const;

/** The status of an audience in words that fit its table. */
export function stateWord({ status }: { readonly status: number }): string {
  return stateWords[status] ?? 'Unknown';
}

interface Standing {
  readonly status: number;
  readonly file: readonly unknown[];
}

/** How an audience stands of which nothing is under way; empty while something is. */
export function statusSentence({ status, file }: Standing): string {
  if (status === 3) return 'Not everything could be loaded: the problems below say why.';
  if (status !== 2) return '';
  return file.length === 0 ? 'It is empty.' : 'All its files are loaded.';
}

interface Owned {
  readonly partner_name: string;
  readonly customer_name: string | null;
}

/** Of the two whose it is, the one that the reader is not. */
export function ownersOf({ partner_name, customer_name }: Owned, reader: string): string {
  if (reader === 'customer') return `Loaded by ${partner_name}`;
  return customer_name === null ? 'For no customer' : `For ${customer_name}`;
}

interface Counts {
  readonly unique_devices: number;
  readonly matched_devices: number;
}

/** The share of an audience's devices that the marketplace knows; null if it has none. */
export function matchRate({ unique_devices, matched_devices }: Counts): number | null {
  return unique_devices === 0 ? null : matched_devices / unique_devices;
}

interface Clearable {
  readonly unique_devices: number;
  readonly file: readonly { readonly status: number }[];
}

/** What clearing an audience takes away, and what it breaks off: a sentence for each. */
export function clearingLoses({ unique_devices, file }: Clearable, openLoads: number): string[] {
  return [
    unique_devices === 0
      ? 'It holds no devices.'
      : `${things(unique_devices, 'device is', 'devices are')} taken out of it, with their event labels.`,
    ...(file.length === 0
      ? []
      : [
          `${things(file.length, 'entry', 'entries')} of its list of files ${file.length === 1 ? 'goes' : 'go'}. The uploaded files themselves stay, and can be loaded again.`,
        ]),
    ...(openLoads === 0
      ? []
      : [
          `${things(openLoads, 'load that waits or runs is', 'loads that wait or run are')} cancelled.`,
        ]),
    'Its composition report is gone until something is loaded again.',
  ];
}

function things(number: number, one: string, many: string): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
