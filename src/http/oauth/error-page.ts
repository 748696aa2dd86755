import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { html } from '../reference/html.ts';

export type Page = Pick<KoaContextWithOIDC, 'status' | 'type' | 'body' | 'res' | 'set'>;

/** Shown when the browser must not be redirected, because the redirect address is not trusted. */
export function renderErrorPage(page: Page, _out: ErrorOut, cause: unknown): void {
  showError(page, cause);
}

export function showError(page: Page, cause: unknown): void {
  const message = messageFor(cause);
  page.status = message.status;
  page.set('cache-control', 'no-store');
  page.type = 'text/html; charset=utf-8';
  page.body = errorPage(message, String(page.res.getHeader('x-request-id')));
}

interface ErrorMessage {
  readonly status: number;
  readonly title: string;
  readonly advice: string;
  readonly error: string;
  readonly description: string;
}

function messageFor(cause: unknown): ErrorMessage {
  if (cause instanceof errors.OIDCProviderError) {
    return {
      status: cause.statusCode,
      title: 'This app cannot be given access',
      advice:
        'The app that sent you here made an invalid request. It was not given access. Go back to the app and try again. If that does not help, send the details below to the developer of the app.',
      error: cause.error,
      description: cause.error_description ?? '',
    };
  }
  if (cause instanceof TributaryError && cause.code === 'rate_limited') {
    return {
      status: 429,
      title: 'Too many requests',
      advice:
        'There were too many requests from your network. Wait a moment, then go back to the app and try again.',
      error: cause.code,
      description: cause.message,
    };
  }
  const isUnavailable = codeOf(cause) === 'unavailable';
  return {
    status: isUnavailable ? 503 : 500,
    title: 'Something went wrong',
    advice:
      'This is an error on our side. The app was not given access. Go back to the app and try again.',
    error: isUnavailable ? 'temporarily_unavailable' : 'server_error',
    description: '',
  };
}

function errorPage({ title, advice, error, description }: ErrorMessage, requestId: string): string {
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
