import { codeOf, messageOf } from '../../../domain/errors.ts';

/** The error code for a file with invalid content. */
const damageCode = 'RUN_FILE_DAMAGED';

/** An error that names the file and the part of it. Its code survives the way between threads. */
export function unreadableError(file: string, part: string, cause: unknown): Error {
  const message = `run file ${file} cannot be read: ${part}: ${messageOf(cause)}`;
  // Node throws ERR_… for an invalid argument, such as an impossible offset read from the file.
  const code = codeOf(cause)?.replace(/^ERR_.*/, damageCode) ?? damageCode;
  return Object.assign(new Error(message, { cause }), { code });
}

/** Whether the error is permanent: reading the file again fails again. */
export function isDamageError(error: unknown): boolean {
  const code = codeOf(error);
  return code === damageCode || code === 'EIO';
}
