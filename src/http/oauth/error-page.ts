import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { html } from '../reference/html.ts';

export type Page = Pick<KoaContextWithOIDC, 'status' | 'type' | 'body' | 'res' | 'set'>;

/** What a browser is shown that cannot be sent back: to where would be for the request to say. */
export function renderErrorPage(page: Page, _out: ErrorOut, cause: unknown): void {
  showError(page, cause);
}

export function showError(page: Page, cause: unknown): void {
  const said = wordsFor(cause);
  page.status = said.status;
  page.set('cache-control', 'no-store');
  page.type = 'text/html; charset=utf-8';
  page.body = errorPage(said, String(page.res.getHeader('x-request-id')));
}

interface Words {
  readonly status: number;
  readonly title: string;
  readonly advice: string;
  readonly error: string;
  readonly description: string;
}

function wordsFor(cause: unknown): Words {
  if (cause instanceof errors.OIDCProviderError) {
    return {
      status: cause.statusCode,
      title: 'This app cannot be let in',
      advice:
        'The app that sent you here asked for access in a way that cannot be answered. Nothing was allowed. Go back to the app and begin again; if that does not help, tell its maker what stands below.',
      error: cause.error,
      description: cause.error_description ?? '',
    };
  }
  if (cause instanceof TributaryError && cause.code === 'rate_limited') {
    return {
      status: 429,
      title: 'Too many requests',
      advice:
        'So many have come from your network that this one was not looked at. Wait a little, then go back to the app and begin again.',
      error: cause.code,
      description: cause.message,
    };
  }
  const isAway = codeOf(cause) === 'unavailable';
  return {
    status: isAway ? 503 : 500,
    title: 'Something went wrong',
    advice:
      'The fault is on our side, and nothing was allowed. Go back to the app and begin again.',
    error: isAway ? 'temporarily_unavailable' : 'server_error',
    description: '',
  };
}

function errorPage({ title, advice, error, description }: Words, requestId: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<header class="sidebar"><p class="brand">Tributary</p></header>
<main id="content">
<h1>${title}</h1>
<p>${advice}</p>
<p><code>${error}</code> ${description}</p>
<p class="aside">Request <code>${requestId}</code></p>
</main>
</body>
</html>
`.toString();
}
