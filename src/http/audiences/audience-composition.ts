import { Type } from 'typebox';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { Page } from '../../domain/page.ts';
import type { Composition, ListedAttribute } from '../../records/audiences/compositions.ts';
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
  type ReportHead,
} from './composition-wire.ts';
import { BaselineQuery, chosenBaseline } from './report-baseline.ts';
import { reportCounts } from './report-counts.ts';
import { type ReportFigures, reportFigures } from './report-figures.ts';

interface ReportDependencies {
  readonly disclosures: Disclosures;
  readonly largeResponses: LargeResponses;
}

export function registerAudienceComposition(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  { disclosures, largeResponses }: ReportDependencies,
): void {
  app.get(
    `${address.path}/:audience_id/composition`,
    {
      config: { isPolled: true },
      ...audienceRoute(auth, address, {
        operationId: 'getComposition',
        summary: 'Get the composition report',
        description:
          'Compares the matched devices of an audience with the universe (every device that has an attribute), for every attribute of the marketplace. With `baseline`, it compares them with the devices known to one supplier, or with another audience. The devices of a supplier are counted after the first request for that baseline. Until the count is ready, the response is 404 with the code `not_computed_yet` and a `Retry-After` header. Counts that depend on the data of other partners have noise, unless the operator allows exact counts. `disclosure`, and `exact` of each attribute, show which counts have noise. Nothing is rounded. The report is computed by each load of the audience, before the load ends, and again in the background when attributes change. A clear deletes the report until the report of the empty audience is computed. Without a report, the response is 404 with the code `not_computed_yet`. Figures based on few devices are null, with the reason in `suppressed`.',
        params: AudiencePath,
        querystring: BaselineQuery,
        response: {
          200: {
            description: 'The report.',
            content: {
              'application/json': { schema: CompositionSchema },
              'text/csv': {
                schema: Type.String({
                  description: `Only the attributes, with the header \`${csvHeader}\`. Null values are empty.`,
                  examples: [
                    `${csvHeader}\r\n1,Autos > Intenders,1,200,0.2,0.1764,0.2259,1000,0.1,200,178.73,223.8,11.11,1e-28,true,\r\n`,
                  ],
                }),
              },
            },
          },
        },
      }),
    },
    async (request, reply) => {
      const audience = await visibleAudience(records, request, request.params.audience_id);
      const composition = await records.compositions.find(audience.audienceId);
      const countsOf = (report: Composition) =>
        reportCounts(report, disclosures.of(report.disclosure));
      const counts = composition && countsOf(composition);
      if (!counts) throw new TributaryError('not_computed_yet', notComputed(audience.heldUntil));
      const suppliers = await records.baselines.suppliers();
      const asked = { records, request, reply, audience, composition, counts, suppliers, countsOf };
      const baseline = await chosenBaseline(asked, request.query.baseline ?? 'universe');
      const figures = await reportFigures(baseline, disclosures.rules.threshold);
      const keyOf = ({ attributeId }: ListedAttribute) => attributeId;
      const read = inPieces(
        (page: Page) => records.compositions.attributes(page, baseline.supplierId),
        keyOf,
      );
      const { pages, isLarge } = await readPages(read, keyOf);
      if (isLarge) largeResponses.count(request, reply);
      reply.header('vary', 'accept');
      const { accept } = request.headers;
      if (preferredType(accept, ['application/json', 'text/csv']) === 'application/json') {
        return sendStream(
          reply,
          'application/json',
          reportAsJson(
            { audience, composition, counts, baseline, suppliers, disclosures },
            figures,
            pages,
          ),
        );
      }
      const name = `audience-${audience.audienceId}-composition.csv`;
      reply.header('content-disposition', `attachment; filename="${name}"`);
      return sendStream(reply, 'text/csv', reportAsCsv(figures, pages));
    },
  );
}

function notComputed(heldUntil: Date | null): string {
  if (!heldUntil) {
    return 'The report of this audience has not been computed yet. It is computed when a load ends.';
  }
  return `The partner has reached its daily limit of reported contents. The report of this audience will be computed after ${heldUntil.toISOString()}.`;
}

type AttributePages = Pages<ListedAttribute>;

async function* reportAsJson(
  report: ReportHead,
  figures: ReportFigures,
  pages: AttributePages,
): AsyncGenerator<string> {
  const head = JSON.stringify(compositionOnTheWire(report));
  yield `${head.slice(0, -1)},"attributes":`;
  yield* jsonArray(pages, (slice) => JSON.stringify(slice.map(rowOf(figures))));
  yield `,"events":${JSON.stringify(eventsOnTheWire(report.composition))}}`;
}

async function* reportAsCsv(figures: ReportFigures, pages: AttributePages): AsyncGenerator<string> {
  const row = rowOf(figures);
  yield `${csvHeader}\r\n`;
  yield* inSlices(pages, (slice) =>
    slice.map((attribute) => attributeRowAsCsv(row(attribute))).join(''),
  );
}

function rowOf(figures: ReportFigures) {
  return (attribute: ListedAttribute) => attributeRow(attribute, figures.cellOf(attribute));
}
