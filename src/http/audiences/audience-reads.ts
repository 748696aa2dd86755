import { Type } from 'typebox';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import { type AudienceFile, filesPerPage } from '../../records/audiences/audiences.ts';
import type { Records } from '../../records/records.ts';
import { audienceOnTheWire } from '../../wire/audience.ts';
import {
  preferredWait,
  type WaitFor,
  WaitHeaders,
  waitResponseHeaders,
} from '../answers/long-poll.ts';
import type { LargeResponses } from '../lists/large-responses.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import { fitsOneSlice, jsonArray, sendStream } from '../lists/streams.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, parseId } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { readerScopeOf, visibleAudience } from './audience-scope.ts';
import {
  AudienceDetailsSchema,
  AudiencePath,
  AudienceSchema,
  fileOnTheWire,
} from './audience-wire.ts';

export interface ReadDependencies {
  readonly sendList: SendList;
  readonly waitFor: WaitFor;
  readonly largeResponses: LargeResponses;
  readonly disclosures: Disclosures;
}

/** The specification promises all audiences to a request without `limit`. */
const byDefault = null;

const ListQuery = Type.Object(pageQuery({ records: 'audiences', id: 'audience_id', byDefault }), {
  additionalProperties: false,
});

/** An audience with its files as JSON, produced while it is sent. */
async function* detailsText(
  records: Records,
  audience: ReturnType<typeof audienceOnTheWire>,
  files: readonly AudienceFile[],
): AsyncGenerator<string> {
  yield `${JSON.stringify(audience).slice(0, -1)},"file":`;
  yield* jsonArray(pages(), (page) => JSON.stringify(page.map(fileOnTheWire)));
  yield '}';

  async function* pages() {
    yield files;
    if (files.length < filesPerPage) return;
    yield* records.audiences.filesAfter(audience.audience_id, files.at(-1));
  }
}

export function registerAudienceReads(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  { sendList, waitFor, largeResponses, disclosures }: ReadDependencies,
): void {
  app.get(
    address.path,
    {
      ...audienceRoute(auth, address, {
        operationId: 'listAudiences',
        summary: 'List audiences',
        description:
          'Returns audiences ordered by audience_id: with a user token those of its customer, without one all of yours. Use `limit` and `after` to page through them. Unknown parameters are rejected.',
        querystring: ListQuery,
        response: {
          200: Type.Array(AudienceSchema, { headers: pageHeaders }),
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const scope = readerScopeOf(request);
      return sendList(request, reply, {
        read: (page) => records.audiences.list(scope, page),
        row: (audience) => audienceOnTheWire(audience, disclosures),
        key: ({ audienceId }) => audienceId,
        byDefault,
      });
    },
  );

  app.get(
    `${address.path}/:audience_id`,
    {
      ...audienceRoute(auth, address, {
        operationId: 'getAudience',
        summary: 'Get audience details',
        description: `Returns the audience with its files. All counts, and the statuses of the first ${filesPerPage.toLocaleString('en')} files, are from the same moment. Further files are read while the response is sent. With \`Prefer: wait=30\` the response is sent when all loads of the audience have ended, or after 30 seconds.`,
        params: AudiencePath,
        headers: WaitHeaders,
        response: {
          200: {
            description: 'The audience.',
            headers: waitResponseHeaders,
            content: { 'application/json': { schema: AudienceDetailsSchema } },
          },
        },
      }),
      config: { isPolled: true },
    },
    async (request, reply) => {
      const audienceId = parseId(request.params.audience_id, 'audience');
      if (preferredWait(request.headers.prefer) !== undefined) {
        await visibleAudience(records, request, request.params.audience_id);
        await waitFor(request, reply, {
          read: () => records.jobProgress.ofAudience(audienceId),
          isLast: (progress) => progress === undefined || progress.queuePosition === null,
          authorize: auth.recheck.audience,
        });
      }
      const details = await records.audiences.details(readerScopeOf(request), audienceId);
      const { files, ...stored } = found(details, 'audience');
      const audience = audienceOnTheWire(stored, disclosures);
      if (fitsOneSlice(files)) return { ...audience, file: files.map(fileOnTheWire) };
      if (files.length === filesPerPage) largeResponses.count(request, reply);
      return sendStream(reply, 'application/json', detailsText(records, audience, files));
    },
  );
}
