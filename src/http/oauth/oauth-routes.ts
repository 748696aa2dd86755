import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from '../server/app-types.ts';
import { clientAddress } from '../server/client-address.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { oauthPaths } from './paths.ts';

/** OPTIONS only where apps in a browser call from other sites. */
const routes: readonly (readonly [path: string, ...methods: HTTPMethods[]])[] = [
  [oauthPaths.metadata, 'GET'],
  [oauthPaths.jwks, 'GET'],
  [oauthPaths.authorization, 'GET'],
  [`${oauthPaths.authorization}/:uid`, 'GET'],
  [oauthPaths.token, 'POST', 'OPTIONS'],
  [oauthPaths.revocation, 'POST', 'OPTIONS'],
  [oauthPaths.introspection, 'POST'],
];

/** Mounts the authorization server, but only at the paths that we offer. */
export async function registerOauth(app: App, server: AuthorizationServer): Promise<void> {
  // In its own scope, where the library reads the bodies itself.
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const [url, ...method] of routes) {
      scope.route({
        url,
        method,
        schema: { hide: true },
        handler: (request, reply) => answer(server, request, reply),
      });
    }
  });
}

async function answer(
  server: AuthorizationServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // A request in proxy form names a host, which the library would trust.
  if (!request.raw.url?.startsWith('/')) {
    throw new TributaryError(
      'malformed_body',
      'The request target contains a host. Send only the path.',
    );
  }
  const respond = await server.responder();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.hijack();
  await respond(request.raw, reply.raw, clientAddress(request));
}
