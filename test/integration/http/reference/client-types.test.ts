import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../support/app.ts';

test("the client's types match the API", async () => {
  await using service = await startTestApp();
  const document = (await service.call('GET', '/openapi.json')).body as OpenAPI3;
  const types = astToString(await openapiTypescript(document, { alphabetize: true }));
  // `npx vitest run test/integration/http/reference/client-types.test.ts -u` writes the file.
  await expect(
    `// Generated from our own OpenAPI document by test/integration/http/reference/client-types.test.ts.\n\n${types}`,
  ).toMatchFileSnapshot('../../../../src/client/openapi.ts');
});
