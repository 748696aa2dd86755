import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { App } from '../server/app-types.ts';
import { problemKinds } from '../server/problems.ts';
import type { OpenApiDocument } from './document/openapi-document.ts';
import { postmanCollection } from './postman-collection.ts';
import { renderReference } from './reference-page.ts';
import { referenceStylesheet } from './styles/stylesheet.ts';

/** Content security policy for pages that load only our stylesheet. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The script of the reference sends requests to this service only, and adds no markup from text. */
const referencePolicy = `${pagePolicy}; img-src data:; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'`;

/** The OpenAPI document and the reference page made from it. `console-page.ts` serves its script. */
export function registerReference(app: App): void {
  const hide = { schema: { hide: true } };

  app.get('/openapi.json', hide, async () => app.swagger());

  let page: Promise<{ plain: string; zipped: Buffer }> | undefined;
  app.get('/docs', hide, async (request, reply) => {
    page ??= renderedPage(app.swagger() as OpenApiDocument);
    const { plain, zipped } = await page;
    reply.type('text/html; charset=utf-8').headers({
      'cache-control': 'no-cache',
      'content-security-policy': referencePolicy,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      vary: 'accept-encoding',
    });
    const takesGzip = /\bgzip\b(?!;q=0(?:\.0+)?(?:,|$))/.test(
      String(request.headers['accept-encoding'] ?? ''),
    );
    return takesGzip ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(plain);
  });

  app.get('/docs/postman.json', hide, async (_request, reply) => {
    reply.header('content-disposition', 'attachment; filename="tributary.postman_collection.json"');
    return postmanCollection(app.swagger() as OpenApiDocument);
  });

  app.get('/docs/reference.css', hide, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(referenceStylesheet),
  );
}

/** Zipped, because the page has more than a megabyte. */
async function renderedPage(document: OpenApiDocument) {
  const plain = renderReference(document, problemEntries());
  return { plain, zipped: await promisify(gzip)(plain) };
}

function problemEntries() {
  return Object.entries(problemKinds).map(([code, kind]) => ({ code, ...kind }));
}
