import { Type } from 'typebox';
import type { Attribute } from '../../records/marketplace/attributes.ts';
import { DisplayName, Id, Nullable, Timestamp } from '../server/wire.ts';

/** Attributes as they are put on the wire, and taken from it. */

export const AttributeSchema = Type.Object({
  attribute_id: Id('Assigned by us; what key_type 0 refers to.'),
  name: Type.String({ examples: ['Autos > Intenders'] }),
  description: Type.String(),
  partner_foreign_key: Nullable(Type.String(), {
    description: 'Your own key; what key_type 1 refers to.',
  }),
  unique_devices: Type.Integer({ description: 'Distinct devices that carry it now.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export function ForeignKey(what: string) {
  return Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^(?!\\s)[^\\p{Cc}\\p{Cs}|]+(?<!\\s)$',
    description: `${what}. No \`|\`, no control characters, no blanks at its ends.`,
    examples: ['autos-intenders'],
  });
}

const Name = DisplayName('What the attribute is; `" > "` makes a hierarchy', 'Autos > Intenders');
const Description = Type.String({
  maxLength: 4096,
  pattern: '^[^\\p{Cs}\\u0000]*$',
  description: 'May be empty.',
  examples: ['In the market for a car'],
});

export const CreateAttribute = Type.Object(
  {
    name: Name,
    description: Description,
    partner_foreign_key: Type.Optional(
      ForeignKey('Your own key for it, unique among your attributes'),
    ),
  },
  { additionalProperties: false },
);

export const ChangeAttribute = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    // Not a union, whose refusal would complain of each of its members.
    partner_foreign_key: Type.Optional(
      Type.Unsafe<string | null>({
        ...ForeignKey('Unique among your attributes; null takes it away'),
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
