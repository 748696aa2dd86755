import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import type { Page } from '../../domain/page.ts';
import type { Audience } from '../../records/audiences/audiences.ts';
import type { Composition, CompositionAttribute } from '../../records/audiences/compositions.ts';
import type { Records } from '../../records/records.ts';
import type { LargeResponses } from '../lists/large-responses.ts';
import { inPieces } from '../lists/read-in-pieces.ts';
import { inSlices, jsonArray, type Pages, readPages, sendStream } from '../lists/streams.ts';
import { preferredType } from '../server/accept.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { visibleAudience } from './audience-scope.ts';
import { AudiencePath } from './audience-wire.ts';
import {
  attributeRow,
  attributeRowAsCsv,
  CompositionSchema,
  compositionOnTheWire,
  csvHeader,
  eventsOnTheWire,
} from './composition-wire.ts';

interface ReportDependencies {
  /** Figures based on fewer devices are withheld. */
  readonly suppressionThreshold: number;
  readonly largeResponses: LargeResponses;
}

export function registerAudienceComposition(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  { suppressionThreshold, largeResponses }: ReportDependencies,
): void {
  app.get(
    `${address.path}/:audience_id/composition`,
    audienceRoute(auth, address, {
      operationId: 'getComposition',
      summary: 'Get the composition report',
      description:
        'Compares the matched devices of an audience with the universe (every device that has an attribute), for every attribute of the marketplace. Counts are exact, and nothing is rounded. The report is computed by each load of the audience, before the load ends, and again in the background when attributes change. A clear deletes the report until the report of the empty audience is computed. Without a report, the response is 404 with the code `not_computed_yet`. Figures based on few devices are null, with the reason in `suppressed`.',
      params: AudiencePath,
      response: {
        200: {
          description: 'The report.',
          content: {
            'application/json': { schema: CompositionSchema },
            'text/csv': {
              schema: Type.String({
                description: `Only the attributes, with the header \`${csvHeader}\`. Null values are empty.`,
                examples: [
                  `${csvHeader}\r\n1,Autos > Intenders,200,0.2,1000,0.1,200,174.36,229.41,11.11,\r\n`,
                ],
              }),
            },
          },
        },
      },
    }),
    async (request, reply) => {
      const audience = await visibleAudience(records, request, request.params.audience_id);
      const composition = await records.compositions.find(audience.audienceId);
      if (!composition) {
        throw new TributaryError(
          'not_computed_yet',
          'The report of this audience has not been computed yet. It is computed when a load ends.',
        );
      }
      const keyOf = ({ attributeId }: CompositionAttribute) => attributeId;
      const read = inPieces(
        (page: Page) => records.compositions.attributes(composition, page),
        keyOf,
      );
      const { pages, isLarge } = await readPages(read, keyOf);
      if (isLarge) largeResponses.count(request, reply);
      const row = (attribute: CompositionAttribute) =>
        attributeRow(composition, attribute, suppressionThreshold);
      reply.header('vary', 'accept');
      const { accept } = request.headers;
      if (preferredType(accept, ['application/json', 'text/csv']) === 'application/json') {
        return sendStream(
          reply,
          'application/json',
          reportAsJson(audience, composition, pages, row),
        );
      }
      const name = `audience-${audience.audienceId}-composition.csv`;
      reply.header('content-disposition', `attachment; filename="${name}"`);
      return sendStream(reply, 'text/csv', reportAsCsv(pages, row));
    },
  );
}

type AttributePages = Pages<CompositionAttribute>;
type ToRow = (attribute: CompositionAttribute) => ReturnType<typeof attributeRow>;

async function* reportAsJson(
  audience: Audience,
  composition: Composition,
  pages: AttributePages,
  row: ToRow,
): AsyncGenerator<string> {
  const head = JSON.stringify(compositionOnTheWire(audience, composition));
  yield `${head.slice(0, -1)},"attributes":`;
  yield* jsonArray(pages, (slice) => JSON.stringify(slice.map(row)));
  yield `,"events":${JSON.stringify(eventsOnTheWire(composition))}}`;
}

async function* reportAsCsv(pages: AttributePages, row: ToRow): AsyncGenerator<string> {
  yield `${csvHeader}\r\n`;
  yield* inSlices(pages, (slice) =>
    slice.map((attribute) => attributeRowAsCsv(row(attribute))).join(''),
  );
}
