import { readFileSync } from 'node:fs';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { ProblemSchema } from './problems.ts';

const description = `The service takes in files of mobile advertising identifiers and turns them into device sets.

A partner uploads files to the shared bucket, below its own prefix, and queues jobs that load them: imports into the attributes of the marketplace, and loads of audiences. The jobs of a partner, of both kinds, run one at a time, in the order submitted. An import applies as a whole or not at all; of an audience each file does.

Every answer carries an \`X-Request-Id\`. Times are ISO 8601 in UTC with milliseconds. Ids are positive integers. Unknown fields in a body are refused by name, and numbers are not read from strings.

Every write to imports, attributes and audiences takes an \`Idempotency-Key\`, with which it can be sent again safely when its answer was lost.

Each API key has a number of requests a minute. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (in seconds) in every answer say how it stands; past the limit the answer is 429 with \`Retry-After\`.

Whatever goes wrong is answered as \`application/problem+json\` (RFC 9457) with a \`code\` from a closed set, see Problems below.

What is wrong with a file carries a code of its own. Rows dropped: \`malformed_id\`, \`hashed_id\`, \`zeroed_id\`, \`unknown_key\`, \`no_keys\`, \`bad_id_type\`, \`bad_operation\`, \`bad_country\`. Labels dropped, of audiences, while their rows load: \`label_too_long\`, \`too_many_labels\`. Files failed, and a whole import with them: \`wrong_columns\`, \`too_many_rejects\`, \`not_compressed\`, \`bad_compression\`, \`bad_encoding\`, \`unclosed_quote\`, \`line_too_long\`, \`removal_in_replace\`, \`empty_file\`, \`no_files\`, \`access_denied\`, \`storage_unavailable\`, \`worker_lost\`.`;

/** How the routes' schemas become OpenAPI 3.1. */
export function describeApi(
  publicUrl: string,
  sessionCookie: string,
): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tributary', version: serviceVersion(), description },
      servers: [{ url: publicUrl }],
      tags: [
        { name: 'Marketplace import', description: 'Load files into your attributes.' },
        { name: 'Marketplace attributes', description: 'What your files say of devices.' },
        {
          name: 'Audience ingest',
          description:
            'Load files of devices on behalf of customers, and see what they are composed of. With `x-user-token` a request is about the audiences of its customer; without it, about all of yours, and what it creates belongs to no customer.',
        },
        {
          name: 'Console',
          description:
            'What the console under `/console` is made of, besides all the other operations. Its session is good for whatever the one who signed in may do: a partner as with an API key, the operator as with the admin token; the users of a customer may look at its audiences, of whichever partner.',
        },
        { name: 'Operator', description: 'Provision partners and look after the service.' },
        { name: 'Health', description: 'For load balancers and monitoring.' },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: "A partner's API key." },
          userToken: {
            type: 'apiKey',
            in: 'header',
            name: 'x-user-token',
            description:
              'A token with which a partner acts for one customer; only for audiences, and in addition to the API key. An app of the partner gets it by OAuth 2.0 from a user of the customer: an authorization code with PKCE, at the addresses in `/.well-known/oauth-authorization-server`, scope `audiences`; it is good for 15 minutes and renewed by its refresh token, which serves once. Or the operator issues one.',
          },
          adminToken: { type: 'http', scheme: 'bearer', description: "The operator's token." },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description:
              "The console's, in the place of an API key or the admin token. Requests that change something send the session's `csrf_token` along, as `x-csrf-token`.",
          },
        },
      },
    },
    transform: ({ schema, url }) =>
      schema.hide
        ? { schema, url }
        : namedWildcard(withSession(withBytes(withProblems(schema))), url),
  };
}

/** Read when the API starts, so that package.json is the only place that states the version. */
function serviceVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

/** Every operation can answer with a problem. */
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

/** What an API key or the admin token is good for, the console's session is, too. */
function withSession(schema: FastifySchema): FastifySchema {
  const { security = [] } = schema;
  const takesToken = security.some((choice) => 'apiKey' in choice || 'adminToken' in choice);
  return takesToken ? { ...schema, security: [...security, { session: [] }] } : schema;
}

/** A body that is taken as a stream has no schema to be validated by, but one to be described by. */
function withBytes(schema: FastifySchema): FastifySchema {
  return schema.consumes ? { ...schema, body: { type: 'string', format: 'binary' } } : schema;
}

/** OpenAPI has no wildcards; ours is always the rest of an object's key. */
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
