import { codeOf, messageOf, TributaryError } from '../../../domain/errors.ts';
import { WarehouseFull } from '../../port.ts';

/** What is over by itself after a while, or once the operator has seen to it, by the server's codes. */
const passing = new Set([
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
  242, // table is read only
  252, // too many parts
  279, // no replica of a shard answers
  291, // not this user's database
  394, // query was cancelled: the server shuts down
  497, // the user lacks a grant
  516, // wrong user or password
]);
const memoryLimit = 241;
/** As old and current servers tell that it was not this query that needed too much. */
const memoryOfOthers = /\((total|for user)\)|user memory limit/i;
const notEnoughSpace = 243;
const noSpaceLeft = /No space left on device|errno: 28/;

/** The server's code for what went wrong; undefined if it was not the server that said so. */
export function serverCodeOf(error: unknown): number | undefined {
  const code = codeOf(error) ?? '';
  if (/^\d+$/.test(code)) return Number(code);
  // As servers before 20.x write it, which the client does not take apart.
  const found = /^Code: (\d+)[.,]/.exec(messageOf(error))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** An error of a server in our own terms: that it is away or full, or what it said. */
export function translated(error: unknown, server: string): unknown {
  const code = serverCodeOf(error);
  const said = `${server}: ${plainMessage(error)}`;
  if (code === notEnoughSpace || noSpaceLeft.test(messageOf(error))) {
    return new WarehouseFull(`the disk of the warehouse is full: ${said}`, { cause: error });
  }
  // Anything that is not the server's own refusal is the way to it.
  if (code === undefined || passing.has(code) || isTakenByOthers(code, error)) {
    return new TributaryError('unavailable', `The warehouse does not answer: ${said}`, {
      cause: error,
    });
  }
  return new Error(`the warehouse refused a query: ${said}`, { cause: error });
}

function isTakenByOthers(code: number, error: unknown): boolean {
  return code === memoryLimit && memoryOfOthers.test(messageOf(error));
}

function plainMessage(error: unknown): string {
  return messageOf(error)
    .replace(/, e\.what\(\) = DB::\w+\s*$/, '')
    .replace(/e\.displayText\(\) = /, '')
    .trim();
}
