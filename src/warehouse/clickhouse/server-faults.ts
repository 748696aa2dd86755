import { codeOf, messageOf, TributaryError } from '../../domain/errors.ts';
import { WarehouseFull } from '../port.ts';

/** What the server says is over by itself after a while, by its codes. */
const passing = new Set([
  202, // too many simultaneous queries
  209, // socket timeout, between shards
  210, // network error, between shards
  242, // table is read only
  252, // too many parts
  279, // no replica of a shard answers
  394, // query was cancelled: the server shuts down
]);
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
  if (code === undefined || passing.has(code)) {
    return new TributaryError('unavailable', `The warehouse does not answer: ${said}`, {
      cause: error,
    });
  }
  return new Error(`the warehouse refused a query: ${said}`, { cause: error });
}

function plainMessage(error: unknown): string {
  return messageOf(error)
    .replace(/, e\.what\(\) = DB::\w+\s*$/, '')
    .replace(/e\.displayText\(\) = /, '')
    .trim();
}
