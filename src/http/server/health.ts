import { Type } from 'typebox';
import type { DiskReserve } from '../../domain/disk-reserve.ts';
import type { App } from './app-types.ts';

/** Checks of the database, the storage and the warehouse, by name. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

const checkTimeoutMs = 3_000;
const tags = ['Health'];

interface HealthDependencies {
  readonly version: string;
  readonly readiness: ReadinessChecks;
  readonly reserve: DiskReserve | null;
}

export function registerHealth(
  app: App,
  { version, readiness: checks, reserve }: HealthDependencies,
): void {
  app.get(
    '/healthz',
    {
      schema: {
        tags,
        operationId: 'healthz',
        summary: 'Check that the process is alive',
        response: {
          200: Type.Object({
            status: Type.Literal('ok'),
            version: Type.String({ description: 'The version of this process.' }),
          }),
        },
      },
    },
    async () => ({ status: 'ok' as const, version }),
  );

  const ReadinessSchema = Type.Object({
    status: Type.Enum(['ready', 'not_ready']),
    checks: Type.Record(Type.String(), Type.String(), {
      description:
        '`ok` or `does not answer` for each of database, storage and warehouse. `disk` is `ok` or `below the reserve`: then uploads and loads are refused, but the service is ready for everything else. The log states the reason.',
    }),
  });
  app.get(
    '/readyz',
    {
      schema: {
        tags,
        operationId: 'readyz',
        summary: 'Check that the service is ready',
        response: {
          200: ReadinessSchema,
          503: Type.Object(ReadinessSchema.properties, {
            description: 'At least one check failed.',
          }),
        },
      },
    },
    async (request, reply) => {
      const outcomes = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => {
          const error = await errorOf(check);
          if (error !== undefined) request.log.warn({ err: error }, `${name} unavailable`);
          return [name, error === undefined ? 'ok' : 'does not answer'] as const;
        }),
      );
      const disk = reserve && (await errorOf(() => reserve.check('data')));
      if (disk) request.log.warn({ err: disk }, 'disk space below the reserve');
      const ready = outcomes.every(([, outcome]) => outcome === 'ok');
      reply.code(ready ? 200 : 503);
      return {
        status: ready ? ('ready' as const) : ('not_ready' as const),
        checks: {
          ...Object.fromEntries(outcomes),
          ...(reserve && { disk: disk ? 'below the reserve' : 'ok' }),
        },
      };
    },
  );
}

/** Which checks pass. */
export async function passingChecks(checks: ReadinessChecks): Promise<Record<string, boolean>> {
  const outcomes = Object.entries(checks).map(
    async ([name, check]) => [name, (await errorOf(check)) === undefined] as const,
  );
  return Object.fromEntries(await Promise.all(outcomes));
}

/** The error of a failed check or a timeout. Undefined if the check passes. */
async function errorOf(check: () => Promise<void>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), checkTimeoutMs);
  });
  return Promise.race([check(), timeout])
    .then(
      () => undefined,
      (error) => error,
    )
    .finally(() => clearTimeout(timer));
}
