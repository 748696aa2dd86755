import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import { parseQueryNumbers } from '../lists/query-numbers.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id } from '../server/wire.ts';

const daysByDefault = 30;

const DaySchema = Type.Object({
  day: Type.String({ format: 'date', description: 'In UTC.', examples: ['2026-01-31'] }),
  done: Type.Integer({ description: 'Jobs that succeeded.', examples: [120] }),
  failed: Type.Integer({ description: 'Jobs that failed.', examples: [2] }),
  cancelled: Type.Integer({ description: 'Jobs that were cancelled.', examples: [0] }),
  rows: Type.Integer({ description: 'Rows loaded.', examples: [1400000] }),
  longest_wait_seconds: Type.Number({
    description:
      'The longest time that a job waited before its last attempt. Today, jobs that are still waiting count as well.',
    examples: [4.2],
  }),
});

/** What jobs did, by day. */
export function registerAdminTrends(app: App, records: Records, auth: Auth): void {
  app.get(
    '/admin/v1/trends',
    {
      ...operatorRoute(auth, {
        operationId: 'listTrends',
        summary: 'Jobs, rows and waiting times by day',
        description:
          'One entry per day (UTC) up to today, oldest first, including days without jobs. A job counts on the day it ended, even after it is deleted.',
        querystring: Type.Object(
          {
            days: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: limits.trendDays.most,
                description: `How many days. Defaults to ${daysByDefault}.`,
                examples: [30],
              }),
            ),
            partner_id: Type.Optional(Id('Only jobs of this partner.')),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Array(DaySchema) },
      }),
      preValidation: parseQueryNumbers('days', 'partner_id'),
    },
    async (request) => {
      const { days = daysByDefault, partner_id = null } = request.query;
      const counted = await records.jobDays.list(days, partner_id);
      return counted.map(({ longestWait, ...day }) => ({
        ...day,
        longest_wait_seconds: longestWait,
      }));
    },
  );
}
