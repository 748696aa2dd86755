import { Type } from 'typebox';
import type { App } from './app-types.ts';

/** What must answer for the service to be of use, by name. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

const checkTimeoutMs = 3_000;
const tags = ['Health'];

export function registerHealth(app: App, checks: ReadinessChecks): void {
  app.get(
    '/healthz',
    {
      schema: {
        tags,
        operationId: 'healthz',
        summary: 'Is the process alive',
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  const ReadinessSchema = Type.Object({
    status: Type.Enum(['ready', 'not_ready']),
    checks: Type.Record(Type.String(), Type.String(), {
      description:
        'Each of database, storage and warehouse: `ok` or `does not answer`. The log has the reason.',
    }),
  });
  app.get(
    '/readyz',
    {
      schema: {
        tags,
        operationId: 'readyz',
        summary: 'Is the service ready',
        response: {
          200: ReadinessSchema,
          503: Type.Object(ReadinessSchema.properties, {
            description: 'Something does not answer.',
          }),
        },
      },
    },
    async (request, reply) => {
      const outcomes = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => {
          const fault = await faultOf(check);
          if (fault !== undefined) request.log.warn({ err: fault }, `${name} does not answer`);
          return [name, fault === undefined ? 'ok' : 'does not answer'] as const;
        }),
      );
      const ready = outcomes.every(([, outcome]) => outcome === 'ok');
      reply.code(ready ? 200 : 503);
      return {
        status: ready ? ('ready' as const) : ('not_ready' as const),
        checks: Object.fromEntries(outcomes),
      };
    },
  );
}

/** Why a check fails, or does not end in time; undefined if all is well. */
async function faultOf(check: () => Promise<void>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), checkTimeoutMs);
  });
  return Promise.race([check(), late])
    .then(
      () => undefined,
      (error) => error,
    )
    .finally(() => clearTimeout(timer));
}
