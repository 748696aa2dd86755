import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Usage } from '../../records/access/usage.ts';
import { preferredType } from '../server/accept.ts';
import { csvLine } from '../server/csv-line.ts';
import { Id, Nullable } from '../server/wire.ts';

const Month = Type.String({
  pattern: '^\\d{4}-(0[1-9]|1[0-2])$',
  description: 'A month in UTC.',
  examples: ['2026-01'],
});

export const UsageQuery = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        ...Month,
        description: 'The first month. 11 months before `until` if left out.',
      }),
    ),
    until: Type.Optional(
      Type.String({ ...Month, description: 'The last month. This month if left out.' }),
    ),
  },
  { additionalProperties: false },
);

const Figure = (description: string) => Type.Integer({ description, examples: [1000] });

const UsageSchema = Type.Object({
  month: Month,
  partner_id: Id('The partner.'),
  partner_name: Type.String({ examples: ['acme'] }),
  requests: Figure(
    'Requests with its API keys, and requests to the embedded object store. Counts arrive within about 5 seconds.',
  ),
  rows: Figure('Rows of committed imports, and valid rows of loaded audience files.'),
  object_bytes: Figure('The most bytes in the embedded object store at one time.'),
  set_bytes: Figure('The most bytes of its device sets at one time.'),
  devices: Figure(
    'The most devices in its attributes and audiences at one time, sampled every 10 minutes. A device counts once for each attribute and audience.',
  ),
});

const columns = [
  'month',
  'partner_id',
  'partner_name',
  'requests',
  'rows',
  'object_bytes',
  'set_bytes',
  'devices',
] as const satisfies (keyof Static<typeof UsageSchema>)[];

export const UsageResponse = {
  description: 'One entry for each month and partner with any use, the newest month first.',
  content: {
    'application/json': { schema: Type.Array(UsageSchema) },
    'text/csv': {
      schema: Type.String({ description: `With the header \`${columns.join()}\`.` }),
    },
  },
};

const Quota = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: `${description} Null for any number.`,
    examples: [1_000_000],
  });

export const QuotasSchema = Type.Object(
  {
    requests: Quota(
      'Requests per month. Beyond it: 429 `rate_limited`, and `QuotaExceeded` in the object store.',
    ),
    rows: Quota(
      'Rows loaded per month. Beyond it, loads are refused or fail with `quota_exceeded`.',
    ),
    devices: Quota(
      'Devices in all attributes and audiences together. Beyond it, loads are refused or fail with `quota_exceeded`.',
    ),
  },
  { additionalProperties: false },
);

/** The months of a query: this one and the eleven before, unless others are asked for. */
export function monthsOf({ since, until }: Static<typeof UsageQuery>) {
  const last = until ?? new Date().toISOString().slice(0, 7);
  return { until: last, since: since ?? elevenMonthsBefore(last) };
}

function elevenMonthsBefore(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number! - 12, 1)).toISOString().slice(0, 7);
}

/** Responds with JSON or CSV, as the Accept header prefers. */
export function sendUsage(
  request: FastifyRequest,
  reply: FastifyReply,
  usage: readonly Usage[],
): Static<typeof UsageSchema>[] {
  const rows = usage.map(usageOnTheWire);
  reply.header('vary', 'accept');
  const type = preferredType(request.headers.accept, ['application/json', 'text/csv']);
  if (type === 'application/json') return rows;
  reply.type('text/csv; charset=utf-8');
  reply.header('content-disposition', 'attachment; filename="usage.csv"');
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column])));
  // Fastify sends a string of this type as it is.
  return [csvLine([...columns]), ...lines].join('') as unknown as Static<typeof UsageSchema>[];
}

function usageOnTheWire(usage: Usage): Static<typeof UsageSchema> {
  return {
    month: usage.month,
    partner_id: usage.partnerId,
    partner_name: usage.name,
    requests: usage.requests,
    rows: usage.rows,
    object_bytes: usage.objectBytes,
    set_bytes: usage.setBytes,
    devices: usage.devices,
  };
}
