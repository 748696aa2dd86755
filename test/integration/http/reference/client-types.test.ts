import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../../../support/app.ts';
import { type ApiDocument, partnerDocument } from '../../../support/partner-document.ts';
import { pythonProblems, pythonTypes } from '../../../support/python-types.ts';

// `npx vitest run test/integration/http/reference/client-types.test.ts -u` writes the files.

let document: OpenAPI3 & ApiDocument;
beforeAll(async () => {
  await using service = await startTestApp();
  document = (await service.call('GET', '/openapi.json')).body;
});

async function typescriptOf(described: OpenAPI3): Promise<string> {
  const types = astToString(await openapiTypescript(described, { alphabetize: true }));
  return `// Generated from our own OpenAPI document by test/integration/http/reference/client-types.test.ts.\n\n${types}`;
}

test("the types of the command line's client match the API", async () => {
  await expect(await typescriptOf(document)).toMatchFileSnapshot(
    '../../../../src/client/openapi.ts',
  );
});

test('the types of the TypeScript client match the operations of partners', async () => {
  await expect(await typescriptOf(partnerDocument(document))).toMatchFileSnapshot(
    '../../../../packages/client/src/openapi.ts',
  );
});

test('the types and errors of the Python client match the operations of partners', async () => {
  const folder = '../../../../clients/python/src/tributary';
  const partners = partnerDocument(document);
  await expect(pythonTypes(partners)).toMatchFileSnapshot(`${folder}/types.py`);
  await expect(pythonProblems(partners)).toMatchFileSnapshot(`${folder}/problems.py`);
});
