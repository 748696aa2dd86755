import { expect, test } from 'vitest';
import { matching } from './search.ts';

const partners = [
  { name: 'Acme', prefix: 'partner-1/' },
  { name: 'ÉCLAIR (Paris)', prefix: 'partner-2/' },
  { name: 'macme', prefix: 'partner-12/' },
];

test.each([
  ['', ['Acme', 'ÉCLAIR (Paris)', 'macme']],
  ['  ', ['Acme', 'ÉCLAIR (Paris)', 'macme']],
  ['ACME', ['Acme', 'macme']],
  [' éclair ', ['ÉCLAIR (Paris)']],
  ['(paris)', ['ÉCLAIR (Paris)']],
  ['partner-1', ['Acme', 'macme']],
  ['nobody', []],
])('%j finds %j', (searched, names) => {
  const found = matching(partners, searched, ({ name, prefix }) => [name, prefix]);
  expect(found.map(({ name }) => name)).toEqual(names);
});
