import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { hasControlCharacters, maximumKeyBytes } from '../../domain/source-path.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { withStreamedBodies } from '../server/body-parsers.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';

export async function registerAdminObjects(
  app: App,
  records: Records,
  objects: ObjectStore,
  auth: Auth,
): Promise<void> {
  await withStreamedBodies(app, (scope) => {
    scope.put(
      `${partnerPath}/objects/*`,
      {
        ...operatorRoute(auth, {
          operationId: 'putObject',
          summary: "Put an object under a partner's prefix",
          description:
            'The body is the object; its content type is ignored. The object becomes visible, and replaces an existing one, only when it is complete.',
          consumes: ['application/octet-stream'],
          params: Type.Object({
            ...PartnerParams.properties,
            '*': Type.String({
              description: 'The key after the prefix, including any slashes.',
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
        }),
        config: { takesLongBodies: true },
      },
      async (request, reply) => {
        const { prefix } = await existingPartner(records, request.params);
        const stored = await objects.put(objectKey(prefix, request.params['*']), request.raw);
        const { key, etag, size } = stored;
        noteChange(request, { after: { key, etag, size } });
        reply.code(201);
        return stored;
      },
    );
  });
}

function objectKey(prefix: string, rest: string): string {
  const key = prefix + rest;
  if (rest === '') throw invalidInput('/key', 'The key after the prefix is empty.');
  if (hasControlCharacters(key)) {
    throw invalidInput('/key', 'The key contains control characters. Remove them.');
  }
  if (Buffer.byteLength(key) > maximumKeyBytes) {
    throw invalidInput(
      '/key',
      `The key with its prefix is longer than ${maximumKeyBytes} bytes. Shorten it.`,
    );
  }
  return key;
}
