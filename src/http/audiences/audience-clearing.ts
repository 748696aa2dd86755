import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clearAudience } from '../../actions/clear-audience.ts';
import { emitAudiences } from '../../actions/job-events.ts';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { inputIssues, invalidRequest } from '../server/problems.ts';
import { found, parseId } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { loaderScopeOf } from './audience-scope.ts';
import { AudiencePath } from './audience-wire.ts';

const NoFields = Type.Object({}, { additionalProperties: false });

/** In its own scope, because the body may have any content type. It must be empty or `{}`. */
export async function registerAudienceClearing(
  app: App,
  address: AudienceAddress,
  auth: Auth,
  write: Write,
  disclosures: Disclosures,
): Promise<void> {
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
      const error = bodyError(request, body as Buffer);
      if (error) done(error);
      else done(null, undefined);
    });

    scope.put(
      `${address.path}/:audience_id`,
      {
        ...audienceRoute(auth, address, {
          operationId: 'clearAudience',
          summary: 'Clear an audience',
          description:
            'Removes all devices and files from the audience, sets its counts to 0 and cancels its pending and running loads. This takes effect immediately. Files that you append afterwards are loaded, even if they were loaded before. Send no body, or `{}` with any content type.',
          params: AudiencePath,
          headers: WriteHeaders,
          response: { 204: Type.Null({ description: 'Cleared.' }) },
        }),
        onRequest: [auth.audience, ignoreContentType],
      },
      async (request, reply) => {
        const audienceId = parseId(request.params.audience_id, 'audience');
        return write(request, reply, async (tx) => {
          const scope = loaderScopeOf(request);
          const before = await tx.audiences.find(scope, audienceId);
          found(await clearAudience(tx, scope, audienceId), 'audience');
          const { partnerId } = scope;
          await emitAudiences(tx, 'audience.cleared', [{ partnerId, audienceId }], disclosures);
          const change = {
            before: { unique_devices: before?.uniqueDevices },
            after: { unique_devices: 0 },
          };
          return { status: 204, location: null, body: null, change };
        });
      },
    );
  });
}

/** Fastify rejects a malformed content type before it calls a parser. */
async function ignoreContentType(request: FastifyRequest): Promise<void> {
  delete request.headers['content-type'];
}

function bodyError(request: FastifyRequest, body: Buffer): TributaryError | undefined {
  if (body.length === 0) return undefined;
  const fields = isUtf8(body) ? jsonOf(body.toString()) : undefined;
  if (fields === undefined) {
    return new TributaryError('malformed_body', 'The body is not valid JSON. Send no body, or {}.');
  }
  const validate = request.compileValidationSchema(NoFields, 'body');
  return validate(fields) ? undefined : invalidRequest(inputIssues(validate.errors ?? []));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
