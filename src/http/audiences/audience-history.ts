import { Type } from 'typebox';
import { compositionCell, exactly } from '../../domain/composition.ts';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import { audienceReasons } from '../../domain/history/reasons.ts';
import { limits } from '../../domain/limits.ts';
import type { AudienceChange } from '../../records/audiences/audience-history.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Timestamp } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { visibleAudience } from './audience-scope.ts';
import { AudiencePath } from './audience-wire.ts';
import { Figure, sizeMembers } from './composition-wire.ts';

interface HistoryDependencies {
  readonly sendList: SendList;
  readonly disclosures: Disclosures;
}

const HistoryQuery = Type.Object(pageQuery({ records: 'changes', id: 'number', byDefault: null }), {
  additionalProperties: false,
});

const ChangeSchema = Type.Object({
  number: Id('Counts the changes of the audience.'),
  changed_at: Timestamp,
  reasons: Type.Array(Type.Enum([...audienceReasons]), {
    description:
      'What led to the change. `load`: the first files since the audience was created or cleared. `append`: more files. `clear`: the audience was cleared. `privacy`: a privacy request deleted devices from the audience or from attributes. `attribute_import`, `attribute_deletion`: data of an attribute of any partner was loaded or deleted. Empty if an earlier version, which recorded no reasons, made the change.',
    examples: [['append']],
  }),
  unique_devices: sizeMembers.unique_devices,
  matched_devices: sizeMembers.matched_devices,
  match_rate: Figure('Share of the unique devices that are matched. Null if there are none.', 0.8),
  universe_devices: sizeMembers.universe_devices,
  top_attributes: Type.Array(
    Type.Object({
      attribute_id: Id('An attribute of any partner.'),
      name: Type.String({ examples: ['Autos > Intenders'] }),
      audience_devices: Type.Integer({
        description: 'Matched devices of the audience that have the attribute.',
        examples: [200],
      }),
      audience_share: Figure('Share of the matched devices.', 0.2),
      index: Figure('100 × audience_share / share of the universe.', 200),
    }),
    {
      description:
        'The five attributes with the most devices of the audience, the largest first. Attributes whose figures the composition report would withhold are left out, and so are attributes that were deleted since.',
    },
  ),
});

export function registerAudienceHistory(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  { sendList, disclosures }: HistoryDependencies,
): void {
  app.get(
    `${address.path}/:audience_id/history`,
    {
      ...audienceRoute(auth, address, {
        operationId: 'listAudienceHistory',
        summary: 'List changes',
        description: `Returns how the figures of the audience changed and why, the latest change first. A change is recorded when the composition report is computed and its devices, matched devices or largest attributes differ from the change before, and when the audience is cleared. The last ${limits.historyRows.most} changes are kept.`,
        params: AudiencePath,
        querystring: HistoryQuery,
        response: { 200: Type.Array(ChangeSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      return sendList(request, reply, {
        read: (page) => records.audienceHistory.list(audienceId, page),
        row: (change) => changeOnTheWire(change, disclosures.rules.threshold),
        key: ({ number }) => number,
        byDefault: null,
      });
    },
  );
}

function changeOnTheWire(change: AudienceChange, threshold: number) {
  const { uniqueDevices, matchedDevices, universeDevices } = change;
  // Noise, if any was added, widens only intervals, which a history does not have.
  const population = {
    baseline: exactly(universeDevices),
    matched: exactly(matchedDevices),
    isNested: true,
  };
  return {
    number: change.number,
    changed_at: change.changedAt.toISOString(),
    reasons: [...change.reasons],
    unique_devices: uniqueDevices,
    matched_devices: matchedDevices,
    match_rate: uniqueDevices === 0 ? null : matchedDevices / uniqueDevices,
    universe_devices: universeDevices,
    top_attributes: change.top.flatMap(({ attributeId, name, ...devices }) => {
      const attribute = {
        audience: exactly(devices.audienceDevices),
        baseline: exactly(devices.baselineDevices),
      };
      const cell = compositionCell(population, attribute, threshold);
      // Even its place among the largest would tell something about a small audience.
      if (cell.audienceDevices === null) return [];
      return {
        attribute_id: attributeId,
        name,
        audience_devices: cell.audienceDevices,
        audience_share: cell.audienceShare,
        index: cell.index,
      };
    }),
  };
}
