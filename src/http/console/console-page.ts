import { existsSync } from 'node:fs';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import type { App } from '../server/app-types.ts';

interface ConsoleFiles {
  /** The build output of the console. */
  readonly folder: string;
  /** Browsers upload to it, so the content security policy allows it. */
  readonly storageOrigin: string;
}

const notBuilt = 'The console is not built. Run `npm install` in the service folder.\n';

/** The script of the API reference. It is built together with the console. */
const referenceScript = '/docs/reference.js';

/**
 * The console: one page for every address under /console, and its assets. The page contains no
 * user data; it gets all data from the API.
 */
export async function registerConsolePage(app: App, files: ConsoleFiles): Promise<void> {
  const hide = { schema: { hide: true } };
  const headers = pageHeaders(files.storageOrigin);

  if (!existsSync(join(files.folder, 'index.html'))) {
    const answer = async (_request: unknown, reply: FastifyReply) =>
      reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
    app.get('/console', hide, answer);
    app.get('/console/*', hide, answer);
    app.get(referenceScript, hide, answer);
    return;
  }

  await app.register(serveStatic, {
    root: files.folder,
    prefix: '/console/',
    serve: false,
    preCompressed: true,
    index: false,
  });
  const page = async (_request: unknown, reply: FastifyReply) =>
    reply.headers(headers).sendFile('index.html', { cacheControl: false });
  app.get('/console', hide, page);
  app.get('/console/*', hide, page);
  app.get<{ Params: { '*': string } }>('/console/assets/*', hide, async (request, reply) =>
    // Asset names change with their content.
    reply.sendFile(`assets/${request.params['*']}`, { maxAge: '1y', immutable: true }),
  );
  app.get(referenceScript, hide, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').sendFile('reference.js', { cacheControl: false }),
  );
}

function pageHeaders(storageOrigin: string): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': `'self' ${storageOrigin}`,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
  };
  return {
    'cache-control': 'no-cache',
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
  };
}
