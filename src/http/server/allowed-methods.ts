import { TributaryError } from '../../domain/errors.ts';
import type { App } from './app-types.ts';

/** The methods of each path. Call it before any route is added. */
export function collectMethods(app: App): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return methods;
}

/** Answers the other methods of each path with 405. Call it after all routes are added. */
export function refuseOtherMethods(
  app: App,
  methods: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, known] of [...methods]) {
    const allow = [...known].sort().join(', ');
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !known.has(method)),
      schema: { hide: true },
      // Before the body is parsed, which could fail with another problem.
      onRequest: async (request, reply) => {
        reply.header('allow', allow);
        throw new TributaryError(
          'method_not_allowed',
          `${request.method} is not allowed here. Allowed methods: ${allow}.`,
        );
      },
      handler: async () => {},
    });
  }
}
