import type { App } from '../server/app-types.ts';
import { problemKinds } from '../server/problems.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { renderReference } from './reference-page.ts';
import { referenceStylesheet } from './stylesheet.ts';

/** Content security policy for pages that load only our stylesheet. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document and the reference page made from it. */
export function registerReference(app: App): void {
  const hide = { schema: { hide: true } };

  app.get('/openapi.json', hide, async () => app.swagger());

  let page: string | undefined;
  app.get('/docs', hide, async (_request, reply) => {
    page ??= renderReference(app.swagger() as OpenApiDocument, problemEntries());
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', pagePolicy)
      .send(page);
  });

  app.get('/docs/reference.css', hide, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(referenceStylesheet),
  );
}

function problemEntries() {
  return Object.entries(problemKinds).map(([code, kind]) => ({ code, ...kind }));
}
