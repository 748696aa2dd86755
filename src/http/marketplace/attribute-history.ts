import { Type } from 'typebox';
import { attributeCauses } from '../../domain/history/reasons.ts';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import type { AttributeChange } from '../../records/warehouse/attribute-history.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, Id, parseId, Timestamp } from '../server/wire.ts';
import { AttributePath, attributePath, attributesTag } from './attribute-wire.ts';

const HistoryQuery = Type.Object(pageQuery({ records: 'changes', id: 'number', byDefault: null }), {
  additionalProperties: false,
});

const ChangeSchema = Type.Object({
  number: Id('Counts the changes of the attribute.'),
  changed_at: Timestamp,
  reason: Type.Enum([...attributeCauses], {
    description:
      '`import` and `replace`: an import in that mode. `deletion`: its data was deleted. `privacy`: devices were deleted by a privacy request.',
    examples: ['import'],
  }),
  unique_devices: Type.Integer({
    description: 'Distinct devices that had the attribute after the change.',
    examples: [1000],
  }),
});

export function registerAttributeHistory(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.get(
    `${attributePath}/history`,
    {
      ...partnerRoute(auth, attributesTag, {
        operationId: 'listAttributeHistory',
        summary: 'List changes of an attribute',
        description: `Returns how the number of devices of one of your attributes changed and why, the latest change first. The last ${limits.historyRows.most} changes are kept.`,
        params: AttributePath,
        querystring: HistoryQuery,
        response: { 200: Type.Array(ChangeSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const attributeId = parseId(request.params.attribute_id, 'attribute');
      found(await records.attributes.find(request.partnerId, attributeId), 'attribute');
      return sendList(request, reply, {
        read: (page) => records.attributeHistory.list(attributeId, page),
        row: changeOnTheWire,
        key: ({ number }) => number,
        byDefault: null,
      });
    },
  );
}

function changeOnTheWire({ number, changedAt, reason, uniqueDevices }: AttributeChange) {
  return {
    number,
    changed_at: changedAt.toISOString(),
    reason,
    unique_devices: uniqueDevices,
  };
}
