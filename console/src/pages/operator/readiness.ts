import type { ConsoleApi } from '../../api/client.ts';
import { answerOf } from '../../api/problem.ts';
import type { Readiness } from './wire.ts';

/** The readiness checks. A failed check is a normal answer here, although its status is 503. */
export async function fetchReadiness(api: ConsoleApi): Promise<Readiness> {
  const call = api.GET('/readyz');
  const { error } = await call.catch(() => ({ error: undefined }));
  return isReadiness(error) ? error : answerOf(call);
}

function isReadiness(body: unknown): body is Readiness {
  return typeof body === 'object' && body !== null && 'checks' in body;
}
