import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { PrivacyRequest } from '../../records/privacy/privacy-requests.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { once, WriteHeaders } from '../server/idempotent-write.ts';
import { found, noControlCharacters, PathId, parseId } from '../server/wire.ts';
import { namedIdentifiers, refuseNamedDevices } from './named-identifiers.ts';
import {
  FindingSchema,
  findingOnTheWire,
  IdentifierSchema,
  identifierOnTheWire,
  Kind,
  RequestSchema,
  type RequestWire,
  requestOnTheWire,
  State,
} from './request-wire.ts';

const requestsPath = '/admin/v1/privacy/requests';
const requestPath = `${requestsPath}/:request_id`;
const byDefault = 100;

const RequestParams = Type.Object({ request_id: PathId('The request.') });

const Reference = Type.String({
  maxLength: limits.nameCharacters.most,
  pattern: noControlCharacters,
  description:
    'Your own name for the request, such as a case number. Do not use identifiers or personal data: it is kept for good, also in the audit log.',
  examples: ['case 2026-117'],
});

const NewRequest = Type.Object(
  {
    kind: Kind,
    reference: Type.Optional(Reference),
    identifiers: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      minItems: 1,
      maxItems: limits.privacyIdentifiers.most,
      description:
        'UUIDs in any usual spelling, or the SHA-256 of their 32 lower-case digits, in Base64 or hexadecimal.',
      examples: [['a3f1c2d4-5678-90ab-cdef-1234567890ab']],
    }),
  },
  { additionalProperties: false },
);

const RequestsQuery = Type.Object(
  {
    kind: Type.Optional(Kind),
    state: Type.Optional(State),
    reference: Type.Optional(Reference),
    ...pageQuery({ records: 'requests', id: 'request_id', byDefault }),
  },
  { additionalProperties: false },
);

const IdentifiersQuery = Type.Object(
  pageQuery({ records: 'identifiers', id: 'position', byDefault: null }),
  { additionalProperties: false },
);

const FindingsQuery = Type.Object(
  pageQuery({ records: 'findings', id: 'finding_id', byDefault: null }),
  { additionalProperties: false },
);

export interface RequestDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly sendList: SendList;
  /** For how many days uploads are kept. Null: for good. */
  readonly uploadRetentionDays: number | null;
  /** Whether uploads are in the embedded store, which knows who has any. */
  readonly isStoredHere: boolean;
}

export function registerPrivacyRequests(app: App, deps: RequestDependencies): void {
  const { records, auth, sendList } = deps;

  app.post(
    requestsPath,
    operatorRoute(auth, {
      operationId: 'createPrivacyRequest',
      summary: 'Delete devices, opt them out, or ask what is stored about them',
      description:
        'A worker carries out the request. For `delete` and `opt_out` it first makes sure that no load stores the devices any more, then removes them from every attribute, audience and label of every partner, from reports, and from rejected rows. Their bytes leave the disk within `TRIBUTARY_DELETION_HOURS`. Until the request is done, its identifiers are stored encrypted; afterwards only their SHA-256 is kept. An answer or log never contains one.',
      headers: WriteHeaders,
      body: NewRequest,
      response: {
        202: Type.Object(RequestSchema.properties, {
          description: 'The request is stored.',
          headers: { Location: { type: 'string', description: 'The path of the request.' } },
        }),
      },
    }),
    async (request, reply) => {
      const { kind, reference = '', identifiers: texts } = request.body;
      const identifiers = namedIdentifiers(texts);
      refuseNamedDevices(reference, identifiers);
      const answer = await records.inTransaction((tx) =>
        once(tx, request, async () => {
          const requestId = await tx.privacyRequests.create({ kind, reference, identifiers });
          const created = found(await tx.privacyRequests.find(requestId), 'request');
          const location = `${requestsPath}/${requestId}`;
          return { status: 202, location, body: await onTheWire(created) };
        }),
      );
      const { request_id } = answer.body;
      noteChange(request, {
        after: { request_id, kind, reference, identifiers: identifiers.length },
      });
      reply.code(202);
      reply.header('location', answer.location);
      return answer.body;
    },
  );

  app.get(
    requestsPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listPrivacyRequests',
        summary: 'List privacy requests',
        description: 'Newest first.',
        querystring: RequestsQuery,
        response: { 200: Type.Array(RequestSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { kind, state, reference } = request.query;
      const rawFiles = await readRawFiles();
      return sendList(request, reply, {
        read: (page) => records.privacyRequests.list({ kind, state, reference }, page),
        row: (listed) => requestOnTheWire(listed, rawFiles),
        key: ({ requestId }) => requestId,
        byDefault,
      });
    },
  );

  app.get(
    requestPath,
    operatorRoute(auth, {
      operationId: 'getPrivacyRequest',
      summary: 'Get a privacy request',
      description: 'With the time of each step, and counts.',
      params: RequestParams,
      response: { 200: RequestSchema },
    }),
    async (request) => onTheWire(await existing(request.params)),
  );

  app.get(
    `${requestPath}/identifiers`,
    {
      ...operatorRoute(auth, {
        operationId: 'listPrivacyIdentifiers',
        summary: 'Identifiers of a privacy request',
        description: 'By their digests, in the order of the request, with what was found.',
        params: RequestParams,
        querystring: IdentifiersQuery,
        response: { 200: Type.Array(IdentifierSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { requestId } = await existing(request.params);
      return sendList(request, reply, {
        read: (page) => records.privacyRequests.identifiers(requestId, page),
        row: identifierOnTheWire,
        key: ({ position }) => position,
        byDefault: null,
      });
    },
  );

  app.get(
    `${requestPath}/findings`,
    {
      ...operatorRoute(auth, {
        operationId: 'listPrivacyFindings',
        summary: 'The answer to an access request',
        description: `Which attributes and audiences hold the devices, and since when. Empty until the request is done, and again ${limits.accessDays.most} days later.`,
        params: RequestParams,
        querystring: FindingsQuery,
        response: { 200: Type.Array(FindingSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { requestId } = await existing(request.params);
      return sendList(request, reply, {
        read: (page) => records.privacyRequests.findings(requestId, page),
        row: findingOnTheWire,
        key: ({ findingId }) => findingId,
        byDefault: null,
      });
    },
  );

  async function existing(params: Static<typeof RequestParams>): Promise<PrivacyRequest> {
    const requestId = parseId(params.request_id, 'request');
    return found(await records.privacyRequests.find(requestId), 'request');
  }

  async function onTheWire(request: PrivacyRequest): Promise<RequestWire> {
    return requestOnTheWire(request, await readRawFiles());
  }

  function readRawFiles() {
    const { uploadRetentionDays, isStoredHere: onlyStoring } = deps;
    return records.partners.longestUploadRetention(uploadRetentionDays, { onlyStoring });
  }
}
