import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { failureCodes, labelCodes, rejectCodes } from '../../domain/import-problems.ts';
import { ProblemSchema } from './problems.ts';

const codeList = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(', ');

const description = `Tributary loads files of mobile advertising identifiers and turns them into sets of devices.

A partner uploads files to the shared bucket, under its own prefix, and queues jobs that load them. Imports load attributes of the marketplace; audience loads add devices to an audience. A partner's jobs run one at a time, in the order submitted. An import is applied as a whole or not at all. In an audience load, each file is applied as a whole or not at all.

Every response has an \`X-Request-Id\` header. Times are ISO 8601 in UTC with milliseconds. Ids are positive integers. A body with unknown fields is rejected. Strings are not converted to numbers.

Every write to imports, attributes, audiences and webhooks accepts an \`Idempotency-Key\` header. Use it to send a request again safely when its response was lost.

The reads that clients poll (import logs, jobs, audiences, compositions) have an \`ETag\`. With \`If-None-Match\` the response is 304 without a body if nothing has changed. With \`Prefer: wait=30\`, an import log and the details of an audience are returned when the job ends, or after 30 seconds.

Responses to reads are compressed with Brotli or gzip as \`Accept-Encoding\` allows. Every \`GET\` operation also supports \`HEAD\`, and every path \`OPTIONS\`, whose \`Allow\` header lists the methods. A deprecated operation has the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).

Each API key has a limit of requests per minute. Every response reports the limit in \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds). Beyond the limit the response is 429 with \`Retry-After\`.

Every error response is \`application/problem+json\` (RFC 9457) with a \`code\` from a closed list. See Problems below.

Errors in files have codes of their own. Rejected rows: ${codeList(rejectCodes)}. Event labels dropped while their rows load (audiences only): ${codeList(labelCodes)}. Failed files, which also fail a whole import: ${codeList(failureCodes)}.`;

/** Tags by reader. Viewers of OpenAPI documents know this extension. */
const readers = {
  'x-tagGroups': [
    {
      name: 'Partner API',
      tags: [
        'Marketplace import',
        'Marketplace attributes',
        'Audience ingest',
        'Watches',
        'Webhooks',
        'Files and usage',
      ],
    },
    { name: 'Operator API', tags: ['Operator', 'Health'] },
    { name: 'Console API', tags: ['Console'] },
  ],
};

/** Settings that turn the routes' schemas into an OpenAPI 3.1 document. */
export function describeApi(
  version: string,
  publicUrl: string,
  sessionCookie: string,
): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tributary', version, description },
      servers: [{ url: publicUrl }],
      tags: [
        {
          name: 'Marketplace import',
          description: 'Load files into your attributes, and follow the jobs.',
        },
        {
          name: 'Marketplace attributes',
          description: 'The attributes that your files assign to devices.',
        },
        {
          name: 'Audience ingest',
          description:
            'Load files of devices on behalf of customers, and compare an audience with the marketplace. With an `x-user-token`, a request concerns the audiences of that customer. Without it, the request concerns all your audiences, and a new audience belongs to no customer.',
        },
        {
          name: 'Watches',
          description: 'Load files automatically when they appear under a path.',
        },
        {
          name: 'Webhooks',
          description:
            'Get an event when a job ends, instead of polling. Events are sent to your URL in the format of Standard Webhooks 1.0.0, each at least once and in no particular order.',
        },
        {
          name: 'Files and usage',
          description:
            'Upload files without an S3 client, and see what you store and use. You can also upload to the shared bucket with any S3 client.',
        },
        {
          name: 'Console',
          description:
            'Operations that only the console at `/console` needs. A console session has the rights of its account: a partner has those of an API key, the operator those of the admin token. A user of a customer can view the audiences of that customer, whichever partner loaded them.',
        },
        { name: 'Operator', description: 'Provision partners and monitor the service.' },
        { name: 'Health', description: 'For load balancers and monitoring.' },
      ],
      ...readers,
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: "A partner's API key." },
          userToken: {
            type: 'apiKey',
            in: 'header',
            name: 'x-user-token',
            description:
              'A token that lets a partner act for one customer. It applies to audiences only, in addition to the API key. An app of the partner gets it through OAuth 2.0 from a user of the customer: authorization code with PKCE, endpoints in `/.well-known/oauth-authorization-server`, scope `audiences`. The token expires after 15 minutes and is renewed with a refresh token, which can be used once. The operator can also issue a token.',
          },
          adminToken: { type: 'http', scheme: 'bearer', description: "The operator's token." },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description:
              "The console's session, instead of an API key or the admin token. Requests that change data must send the session's `csrf_token` in the `x-csrf-token` header.",
          },
        },
      },
    },
    transform({ schema, url, route }) {
      if (schema.hide) return { schema, url };
      const isDeprecated = route.config?.deprecation !== undefined;
      const marked = isDeprecated ? { ...schema, deprecated: true } : schema;
      return namedWildcard(withSession(withBytes(withProblems(marked))), url);
    },
  };
}

/** Every operation can respond with a problem. */
function withProblems(schema: FastifySchema): FastifySchema {
  const response = schema.response as Record<string, unknown> | undefined;
  if (!response) return schema;
  return {
    ...schema,
    response: {
      ...response,
      default: {
        description: 'A problem.',
        content: { 'application/problem+json': { schema: ProblemSchema } },
      },
    },
  };
}

/** A console session is accepted wherever an API key or the admin token is. */
function withSession(schema: FastifySchema): FastifySchema {
  const { security = [] } = schema;
  const takesToken = security.some((choice) => 'apiKey' in choice || 'adminToken' in choice);
  return takesToken ? { ...schema, security: [...security, { session: [] }] } : schema;
}

/** A streamed body is not validated, so its route has no body schema; this one describes it. */
function withBytes(schema: FastifySchema): FastifySchema {
  return schema.consumes ? { ...schema, body: { type: 'string', format: 'binary' } } : schema;
}

/** OpenAPI has no wildcards. Ours is always an object key, so it is named `key`. */
function namedWildcard(schema: FastifySchema, url: string): { schema: FastifySchema; url: string } {
  if (!url.endsWith('/*')) return { schema, url };
  const { properties } = schema.params as { properties: Record<string, unknown> };
  const { '*': key, ...others } = properties;
  const named = { ...others, key };
  return {
    schema: {
      ...schema,
      params: { type: 'object', required: Object.keys(named), properties: named },
    },
    url: url.replace(/\*$/, ':key'),
  };
}
