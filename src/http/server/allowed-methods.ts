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

/**
 * Answers OPTIONS of each path with its methods, and its other methods with 405. Call it after all routes
 * are added.
 */
export function answerOtherMethods(
  app: App,
  methods: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, known] of [...methods]) {
    const hasOwnOptions = known.has('OPTIONS');
    const allowed = new Set([...known, 'OPTIONS']);
    const allow = [...allowed].sort().join(', ');
    if (!hasOwnOptions) {
      app.route({
        url,
        method: 'OPTIONS',
        schema: { hide: true },
        onRequest: async (_request, reply) => reply.code(204).header('allow', allow).send(),
        handler: async () => {},
      });
    }
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !allowed.has(method)),
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
