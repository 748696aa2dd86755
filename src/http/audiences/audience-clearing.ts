import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clearAudience } from '../../actions/clear-audience.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { inputIssues, invalidRequest } from '../server/problems.ts';
import { found, parseId } from '../server/wire.ts';
import type { AudienceAddress } from './audience-address.ts';
import { loaderScopeOf } from './audience-scope.ts';
import { AudiencePath } from './audience-wire.ts';

const NoFields = Type.Object({}, { additionalProperties: false });

/** In a scope of its own, for it takes a body, if only an empty one, of whatever content type. */
export async function registerAudienceClearing(
  app: App,
  address: AudienceAddress,
  auth: Auth,
  write: Write,
): Promise<void> {
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
      const fault = faultOf(request, body as Buffer);
      if (fault) done(fault);
      else done(null, undefined);
    });

    scope.put(
      `${address.path}/:audience_id`,
      {
        onRequest: [auth.audience, forgetContentType],
        schema: {
          ...address.describe({
            operationId: 'clearAudience',
            summary: 'Clear an audience',
            description:
              'Acts at once: the counts are 0, the files gone, and what was pending or loading is cancelled. Files appended afterwards load, also those that were loaded before. Takes no body, or `{}`, of any content type or none.',
          }),
          params: AudiencePath,
          headers: WriteHeaders,
          response: { 204: Type.Null({ description: 'Cleared.' }) },
        },
      },
      async (request, reply) => {
        const audienceId = parseId(request.params.audience_id, 'audience');
        return write(request, reply, async (tx) => {
          const cleared = await clearAudience(tx, loaderScopeOf(request), audienceId);
          found(cleared || undefined, 'audience');
          return { status: 204, location: null, body: null };
        });
      },
    );
  });
}

/** The framework refuses a type that is not well-formed before any parser is asked. */
async function forgetContentType(request: FastifyRequest): Promise<void> {
  delete request.headers['content-type'];
}

function faultOf(request: FastifyRequest, body: Buffer): TributaryError | undefined {
  if (body.length === 0) return undefined;
  const fields = isUtf8(body) ? jsonOf(body.toString()) : undefined;
  if (fields === undefined) {
    return new TributaryError('malformed_body', 'The body is not JSON: send none, or {}.');
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
