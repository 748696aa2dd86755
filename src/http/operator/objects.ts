import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { hasControlCharacters, maximumKeyBytes } from '../../domain/source-path.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, PathId, parseId } from '../server/wire.ts';

export async function registerAdminObjects(
  app: App,
  records: Records,
  objects: ObjectStore,
  auth: Auth,
): Promise<void> {
  // In a scope of its own, where a body is a stream of bytes and nothing is read into memory.
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    // The framework refuses a content type that is not well-formed; here it makes no difference.
    scope.addHook('onRequest', async (request) => {
      delete request.raw.headers['content-type'];
    });

    scope.put(
      '/admin/v1/partners/:partner_id/objects/*',
      {
        onRequest: auth.operator,
        config: { takesLongBodies: true },
        schema: {
          tags: ['Operator'],
          security: [{ adminToken: [] }],
          operationId: 'putObject',
          summary: "Put an object under a partner's prefix",
          description:
            'The body is the object, whatever its content type. It appears whole, or not at all, in the place of the one that was there.',
          consumes: ['application/octet-stream'],
          params: Type.Object({
            partner_id: PathId('Which partner.'),
            '*': Type.String({
              description: 'The rest of the key, below the prefix. Slashes are part of it.',
              examples: ['devices.csv'],
            }),
          }),
          response: {
            201: Type.Object(
              {
                key: Type.String({ examples: ['partner-1/devices.csv'] }),
                etag: Type.String({ description: 'The MD5 of the object.' }),
                size: Type.Integer({ description: 'In bytes.' }),
              },
              { description: 'Stored.' },
            ),
          },
        },
      },
      async (request, reply) => {
        const partner = found(
          await records.partners.find(parseId(request.params.partner_id, 'partner')),
          'partner',
        );
        const key = objectKey(partner.prefix, request.params['*']);
        const stored = await objects.put(key, request.raw);
        reply.code(201);
        return stored;
      },
    );
  });
}

function objectKey(prefix: string, rest: string): string {
  const key = prefix + rest;
  if (rest === '') throw invalidInput('/key', 'The key below the prefix is empty.');
  if (hasControlCharacters(key)) {
    throw invalidInput('/key', 'The key must not hold control characters.');
  }
  if (Buffer.byteLength(key) > maximumKeyBytes) {
    throw invalidInput('/key', `The key has more than ${maximumKeyBytes} bytes with the prefix.`);
  }
  return key;
}
