/** The parts of the name of a CSV file of DROP, such as `20260312_4821_MAID_part01.csv`. */
export interface DropFileName {
  readonly date: string;
  readonly brokerId: string;
  /** A list such as `MAID`, or `Removed`. */
  readonly list: string;
  readonly suffix: string | null;
}

/** The list whose identifiers this service stores. */
export const ownList = 'MAID';
/** The file with items of all lists that consumers withdrew. */
export const removedList = 'Removed';

// Ids of brokers are "currently" of four digits.
const csvName = /^(\d{8})_(\d{1,10})_([A-Za-z0-9]{1,20})(?:_([A-Za-z0-9]{1,10}))?\.csv$/;
const zipName = /^\d{8}_\d{1,10}_DROP\.zip$/;

export function parseFileName(name: string): DropFileName | null {
  const [, date, brokerId, list, suffix = null] = csvName.exec(name) ?? [];
  if (date === undefined || brokerId === undefined || list === undefined) return null;
  return { date, brokerId, list, suffix };
}

export function formatFileName({ date, brokerId, list, suffix }: DropFileName): string {
  return `${date}_${brokerId}_${list}${suffix === null ? '' : `_${suffix}`}.csv`;
}

/** The name of an archive in a Content-Disposition header, if it has the form that DROP describes. */
export function archiveNameOf(disposition: string | null): string | null {
  const [, name = ''] = /filename="?([^";]+)"?/i.exec(disposition ?? '') ?? [];
  return zipName.test(name) ? name : null;
}
