import { codeOf, messageOf } from '../../../domain/errors.ts';

/** Of errors about a file that does not hold what it should. */
const damageCode = 'RUN_FILE_DAMAGED';

/** Names what of the file cannot be read. Its code says why, between threads too. */
export function unreadable(file: string, part: string, cause: unknown): Error {
  const message = `run file ${file} cannot be read: ${part}: ${messageOf(cause)}`;
  // Those of Node itself refuse an argument, such as an offset that the file made up.
  const code = codeOf(cause)?.replace(/^ERR_.*/, damageCode) ?? damageCode;
  return Object.assign(new Error(message, { cause }), { code });
}

/** Whether it will be met again however often the file is read. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === damageCode || code === 'EIO';
}
