import { codeOf, messageOf, TributaryError } from '../../../domain/errors.ts';

/** ClickHouse error codes that pass with time or after the operator has acted. */
const transientCodes = new Set([
  32, // the connection between shards ended
  60, // no such table
  81, // no such database
  159, // the query took too long
  164, // the user may only read
  192, // no such user
  193, // wrong password
  194, // password is needed
  195, // not from this address
  202, // too many simultaneous queries
  209, // socket timeout, between shards
  210, // network error, between shards
  225, // no ZooKeeper
  242, // table is read only: the server lost its connection to ZooKeeper
  244, // unexpected answer of ZooKeeper
  252, // too many parts
  279, // no replica of a shard answers
  291, // not this user's database
  319, // ZooKeeper's answer to an insert was lost
  394, // query was cancelled: the server shuts down
  497, // the user lacks a grant
  516, // wrong user or password
  999, // ZooKeeper's connection failed
]);
const memoryLimit = 241;
/** Old and current servers' messages when other queries used the memory. */
const memoryOfOthers = /\((total|for user)\)|user memory limit/i;
const notEnoughSpace = 243;
const noSpaceLeft = /No space left on device|errno: 28/;

/** The server's error code; undefined if the error did not come from the server. */
export function serverCodeOf(error: unknown): number | undefined {
  const code = codeOf(error) ?? '';
  if (/^\d+$/.test(code)) return Number(code);
  // Servers before 20.x write the code in a form that the client does not parse.
  const found = /^Code: (\d+)[.,]/.exec(messageOf(error))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Translates a server's error: unavailable, disk full, or a refused query. */
export function translateError(error: unknown, server: string): unknown {
  const code = serverCodeOf(error);
  const details = `${server}: ${plainMessage(error)}`;
  if (code === notEnoughSpace || noSpaceLeft.test(messageOf(error))) {
    return new TributaryError('storage_full', `The warehouse disk is full: ${details}`, {
      cause: error,
    });
  }
  // An error without a code is a connection problem.
  if (code === undefined || transientCodes.has(code) || isMemoryUsedByOthers(code, error)) {
    return new TributaryError('unavailable', `The warehouse is unavailable: ${details}`, {
      cause: error,
    });
  }
  return new Error(`the warehouse refused a query: ${details}`, { cause: error });
}

/** Whether a translated error is a server's answer, and not a failed connection. */
export function isServersAnswer(error: unknown): boolean {
  return error instanceof Error && serverCodeOf(error.cause) !== undefined;
}

/** The answers of a server that must not be used for now, although it answers. */
const lostCodes = new Set([60, 81, 225, 242, 244, 319, 394, 999]);

/** Whether an error says that the server itself failed, so that another replica may succeed. */
export function isServerLost(error: unknown): boolean {
  if (codeOf(error) !== 'unavailable' || !(error instanceof Error)) return false;
  const code = serverCodeOf(error.cause);
  return code === undefined || lostCodes.has(code);
}

function isMemoryUsedByOthers(code: number, error: unknown): boolean {
  return code === memoryLimit && memoryOfOthers.test(messageOf(error));
}

function plainMessage(error: unknown): string {
  return messageOf(error)
    .replace(/, e\.what\(\) = DB::\w+\s*$/, '')
    .replace(/e\.displayText\(\) = /, '')
    .trim();
}
