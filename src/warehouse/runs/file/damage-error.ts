import { codeOf, messageOf } from '../../../domain/errors.ts';
import type { DamagedPlace } from '../../../records/warehouse/damaged-runs.ts';
import { RunsMissing } from '../../port.ts';

/** The error code for a file with invalid content. */
const damageCode = 'RUN_FILE_DAMAGED';

/** An error that names the place. Its code and its detail survive the way between threads. */
export function unreadableError(
  { file, firstRowGroup }: DamagedPlace,
  part: string,
  cause: unknown,
): Error {
  const detail: DamagedPlace = { file, firstRowGroup };
  const message = `run file ${file} cannot be read: ${part}: ${messageOf(cause)}`;
  // Node throws ERR_… for an invalid argument, such as an impossible offset read from the file.
  const code = codeOf(cause)?.replace(/^ERR_.*/, damageCode) ?? damageCode;
  return Object.assign(new Error(message, { cause }), { code, detail });
}

/** The file is in the manifest but not in the folder. */
export function missingFileError(file: string, cause: unknown): Error {
  const message = `run file ${file} is in the manifest but cannot be opened: file not found`;
  const detail: DamagedPlace = { file, firstRowGroup: null };
  return Object.assign(new RunsMissing(message, { cause }), { detail });
}

/** Whether the error is permanent: reading the file again fails again. */
export function isDamageError(error: unknown): boolean {
  const code = codeOf(error);
  return code === damageCode || code === 'EIO';
}

/** Which runs cannot be read, if the error is about damaged or missing runs. */
export function damagedPlace(error: unknown): DamagedPlace | undefined {
  if (!isDamageError(error) && !(error instanceof RunsMissing)) return undefined;
  return (error as { readonly detail?: DamagedPlace }).detail;
}
