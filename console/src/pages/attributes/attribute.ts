import type { ConsoleApi } from '../../api/client.ts';
import { answerOf } from '../../api/problem.ts';
import type { Answered } from '../../api/wire.ts';
import { counted } from '../../parts/format.ts';

export type Attribute = Answered<'/v1/marketplace/attribute'>[number];
export type AttributeChange = Answered<'/v1/marketplace/attribute/{attribute_id}/history'>[number];

export function attributeAddress(attributeId: number): string {
  return `/console/attributes/${attributeId}`;
}

/** The attribute with its changes, the latest first. */
export async function loadAttribute(api: ConsoleApi, attributeId: string) {
  const params = { path: { attribute_id: attributeId } };
  const [attribute, changes] = await Promise.all([
    answerOf(api.GET('/v1/marketplace/attribute/{attribute_id}', { params })),
    answerOf(api.GET('/v1/marketplace/attribute/{attribute_id}/history', { params })),
  ]);
  return { attribute, changes };
}

const reasons: Readonly<Record<AttributeChange['reason'], string>> = {
  import: 'Import',
  replace: 'Replaced by an import',
  deletion: 'Data deleted',
  privacy: 'Privacy request',
};

export function reasonOf({ reason }: Pick<AttributeChange, 'reason'>): string {
  return reasons[reason];
}

/** What deleting an attribute removes for good, a sentence each. */
export function deletionLoses(attribute: Attribute): string[] {
  const { unique_devices, partner_foreign_key: key } = attribute;
  return [
    unique_devices === 0
      ? 'It has no devices now. Its definition and its history are deleted.'
      : `Its definition, its history and its assignment to ${counted(unique_devices, 'device', 'devices')} are deleted.`,
    'It disappears from all reports when they are computed again.',
    `Rows of later files with ${key === null ? 'its ID' : `its key ${key}`} are rejected.`,
  ];
}
