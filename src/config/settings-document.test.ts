import { expect, test } from 'vitest';
import { settingsDocument } from './settings-document.ts';

test('docs/settings.md describes every setting (-u writes it)', async () => {
  await expect(settingsDocument()).toMatchFileSnapshot('../../docs/settings.md');
});
