import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/**
 * Another origin with one page. On the service's own host it is the same site to a browser, which
 * then sends cookies; `localhost` is another site, although it is the same machine.
 */
export async function startOtherSite(
  html: string,
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Submits a form as a page of another origin can, and returns the status. */
export async function submitForm(
  page: Page,
  action: string,
  enctype: string,
  fields: Readonly<Record<string, string>>,
): Promise<number> {
  const [response] = await Promise.all([
    page.waitForNavigation({ url: action }),
    page.evaluate(
      ([action, enctype, fields]) => {
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action, enctype });
        for (const [name, value] of Object.entries(fields)) {
          form.append(Object.assign(document.createElement('input'), { name, value }));
        }
        document.body.append(form);
        form.submit();
      },
      [action, enctype, fields] as const,
    ),
  ]);
  return response?.status() ?? 0;
}
