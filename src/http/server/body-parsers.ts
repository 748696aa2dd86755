import { isUtf8 } from 'node:buffer';
import type { FastifyBodyParser } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from './app-types.ts';

export function acceptOnlyJson(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  acceptUtf8(app, 'application/json', parse);
}

/** Accepts bodies of a media type. A body that is not valid UTF-8 is a problem. */
export function acceptUtf8(app: App, mediaType: string, parse: FastifyBodyParser<string>): void {
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (isUtf8(bytes)) parse(request, bytes.toString(), done);
    else done(new TributaryError('malformed_body', 'The body is not valid UTF-8.'));
  });
}

/** Registers routes in a scope of their own, where a body stays a stream and is never read into memory. */
export async function withStreamedBodies(app: App, register: (scope: App) => void): Promise<void> {
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    // Fastify refuses a malformed content type, which does not matter here.
    scope.addHook('onRequest', async (request) => {
      delete request.raw.headers['content-type'];
    });
    register(scope);
  });
}
