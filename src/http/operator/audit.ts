import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { AuditEntry, AuditFilter } from '../../records/access/audit-log.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import { parseQueryNumbers } from '../lists/query-numbers.ts';
import type { SendLines } from '../lists/send-lines.ts';
import type { SendList } from '../lists/send-list.ts';
import { TimeParameter, timeOf } from '../lists/time-query.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

const auditPath = '/admin/v1/audit';
const byDefault = limits.pageRecords.most;

const Actor = Type.Enum(['operator', 'partner', 'user', 'app'], {
  description:
    'Who called: the operator, a partner with an API key or storage credentials, a user in the console, or an app for a user.',
  examples: ['partner'],
});

const filterMembers = {
  actor: Type.Optional(Actor),
  partner_id: Type.Optional(Id('Only calls of this partner and of its apps.')),
  customer_id: Type.Optional(Id('Only calls of users of this customer, or for it.')),
  action: Type.Optional(
    Type.String({
      maxLength: 256,
      pattern: '^[\\x20-\\x7e]+$',
      description:
        'Only calls of this operation: its method and route, or `s3:PutObject` and `s3:DeleteObject` for the S3 endpoint.',
      examples: ['POST /admin/v1/partners'],
    }),
  ),
  changes: Type.Optional(
    Type.Enum(['true', 'false'], { description: '`true`: without read-only calls.' }),
  ),
  since: TimeParameter('Only calls at or after this time.'),
  until: TimeParameter('Only calls before this time.'),
};

const AuditQuery = Type.Object(
  { ...pageQuery({ records: 'entries', id: 'audit_entry_id', byDefault }), ...filterMembers },
  { additionalProperties: false },
);
const ExportQuery = Type.Object(filterMembers, { additionalProperties: false });

const Changed = (description: string) => Nullable(Type.Unknown(), { description });

const EntrySchema = Type.Object({
  audit_entry_id: Id('The entry.'),
  called_at: Timestamp,
  actor: Actor,
  partner_id: Nullable(Type.Integer()),
  partner_name: Nullable(Type.String(), { description: 'Its name now.' }),
  api_key_id: Nullable(Type.Integer(), { description: 'The API key of the partner or app.' }),
  api_key_label: Nullable(Type.String()),
  access_key_id: Nullable(Type.String(), {
    description: 'The storage credentials that signed a call of the S3 endpoint.',
  }),
  customer_id: Nullable(Type.Integer(), { description: 'The customer acted for.' }),
  user_id: Nullable(Type.Integer()),
  email: Nullable(Type.String(), { description: 'Of the user, if it still exists.' }),
  client_id: Nullable(Type.String(), { description: 'The app.' }),
  app_name: Nullable(Type.String()),
  action: Type.String({ examples: ['POST /admin/v1/partners'] }),
  target: Type.String({ description: 'The requested path.' }),
  before: Changed('The record before the call, without secrets. Null if there was none.'),
  after: Changed('The record after the call, without secrets. Null if there is none.'),
  remote_address: Type.String(),
  request_id: Type.String(),
  status: Nullable(Type.Integer(), {
    description:
      'Null while the call is in progress, or if the process died during it. 499 if the client disconnected before the response.',
  }),
});

export function registerAdminAudit(
  app: App,
  records: Records,
  auth: Auth,
  { sendList, sendLines }: { readonly sendList: SendList; readonly sendLines: SendLines },
): void {
  app.get(
    auditPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listAuditEntries',
        summary: 'Audit log',
        description:
          'All calls of the operator API, including this one, and all writes of partners, users and apps, including writes to the embedded object store. Newest first. Entries are deleted after `TRIBUTARY_AUDIT_DAYS`, read-only calls after `TRIBUTARY_AUDIT_READ_DAYS`, and entries about objects after `TRIBUTARY_AUDIT_OBJECT_DAYS`.',
        querystring: AuditQuery,
        response: { 200: Type.Array(EntrySchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage('partner_id', 'customer_id'),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: (page) => records.auditLog.list(filterOf(request.query), page),
        row: entryOnTheWire,
        key: ({ auditEntryId }) => auditEntryId,
        byDefault,
      }),
  );

  app.get(
    `${auditPath}/export`,
    {
      ...operatorRoute(auth, {
        operationId: 'exportAuditEntries',
        summary: 'Export the audit log',
        description: 'All matching entries, newest first, one JSON object per line.',
        querystring: ExportQuery,
        response: {
          200: {
            description: 'The entries.',
            content: { 'application/x-ndjson': { schema: EntrySchema } },
          },
        },
      }),
      preValidation: parseQueryNumbers('partner_id', 'customer_id'),
    },
    async (request, reply) =>
      sendLines<AuditEntry, Static<typeof EntrySchema>>(request, reply, {
        read: (page) => records.auditLog.list(filterOf(request.query), page),
        row: entryOnTheWire,
        key: ({ auditEntryId }) => auditEntryId,
        name: 'audit',
      }),
  );
}

function filterOf(query: Static<typeof ExportQuery>): AuditFilter {
  const { actor, partner_id, customer_id, action, changes, since, until } = query;
  return {
    actor,
    partnerId: partner_id,
    customerId: customer_id,
    action,
    onlyChanges: changes === 'true',
    since: timeOf(since),
    until: timeOf(until),
  };
}

function entryOnTheWire(entry: AuditEntry): Static<typeof EntrySchema> {
  return {
    audit_entry_id: entry.auditEntryId,
    called_at: entry.calledAt.toISOString(),
    actor: entry.actor,
    partner_id: entry.partnerId,
    partner_name: entry.partnerName,
    api_key_id: entry.apiKeyId,
    api_key_label: entry.apiKeyLabel,
    access_key_id: entry.accessKeyId,
    customer_id: entry.customerId,
    user_id: entry.userId,
    email: entry.email,
    client_id: entry.clientId,
    app_name: entry.appName,
    action: entry.action,
    target: entry.target,
    before: entry.before,
    after: entry.after,
    remote_address: entry.remoteAddress,
    request_id: entry.requestId,
    status: entry.status,
  };
}
