import { expect, test } from 'vitest';
import { type Attribute, deletionLoses } from './attribute.ts';

const attribute: Attribute = {
  attribute_id: 1,
  name: 'Autos',
  description: '',
  partner_foreign_key: 'autos',
  unique_devices: 1_234,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
};

test('the question before a deletion names the devices and the key', () => {
  expect(deletionLoses(attribute)[0]).toContain('its assignment to 1,234 devices are deleted');
  expect(deletionLoses(attribute)[2]).toContain('with its key autos are');
  const empty = deletionLoses({ ...attribute, unique_devices: 0, partner_foreign_key: null });
  expect(empty[0]).toContain('no devices');
  expect(empty[2]).toContain('with its ID are');
});
