import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Attribute } from '../../records/marketplace/attributes.ts';
import { DisplayName, Id, Nullable, PathId, Timestamp } from '../server/wire.ts';

/** Attributes in requests and responses. */

export const attributesTag = 'Marketplace attributes';
export const attributesPath = '/v1/marketplace/attribute';
export const attributePath = `${attributesPath}/:attribute_id`;
export const AttributePath = Type.Object({ attribute_id: PathId('The id of the attribute.') });

export const AttributeSchema = Type.Object({
  attribute_id: Id('Assigned by the service. key_type 0 refers to it.'),
  name: Type.String({ examples: ['Autos > Intenders'] }),
  description: Type.String(),
  partner_foreign_key: Nullable(Type.String(), {
    description: 'Your own key. key_type 1 refers to it.',
  }),
  unique_devices: Type.Integer({ description: 'Distinct devices that have the attribute now.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export function ForeignKey(what: string) {
  return Type.String({
    minLength: 1,
    maxLength: limits.foreignKeyCharacters.most,
    pattern: '^(?!\\s)[^\\p{Cc}\\p{Cs}|]+(?<!\\s)$',
    description: `${what}. It must not contain \`|\` or control characters, or begin or end with a space.`,
    examples: ['autos-intenders'],
  });
}

const Name = DisplayName(
  'Name of the attribute; `" > "` separates levels of a hierarchy',
  'Autos > Intenders',
);
const Description = Type.String({
  maxLength: limits.descriptionCharacters.most,
  pattern: '^[^\\p{Cs}\\u0000]*$',
  description: 'Description of the attribute. May be empty.',
  examples: ['In the market for a car'],
});

export const CreateAttribute = Type.Object(
  {
    name: Name,
    description: Type.Optional(Type.String({ ...Description, default: '' })),
    partner_foreign_key: Type.Optional(
      ForeignKey('Your own key for the attribute, unique among your attributes'),
    ),
  },
  { additionalProperties: false },
);

export const ChangeAttribute = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    // Not a union, which would report one validation error per member.
    partner_foreign_key: Type.Optional(
      Type.Unsafe<string | null>({
        ...ForeignKey('Unique among your attributes. Send null to remove it'),
        type: ['string', 'null'],
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

export function attributeOnTheWire(attribute: Attribute) {
  return {
    attribute_id: attribute.attributeId,
    name: attribute.name,
    description: attribute.description,
    partner_foreign_key: attribute.partnerForeignKey,
    unique_devices: attribute.uniqueDevices,
    created_at: attribute.createdAt.toISOString(),
    updated_at: attribute.updatedAt.toISOString(),
  };
}
