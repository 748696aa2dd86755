/** A partner's app: lists the audiences of the customer whose user has connected it. */
import { createServer, type IncomingMessage } from 'node:http';
import { createSessions } from './sessions.ts';
import { type Begun, type Connection, createTributary, refusalOf } from './tributary.ts';

const { PORT = '3000', CLIENT_SECRET } = process.env;
const tributaryUrl = (process.env.TRIBUTARY_URL ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
const { origin } = new URL(`http://127.0.0.1:${PORT}`);
const tributary = await createTributary({
  url: tributaryUrl,
  clientId: required('CLIENT_ID'),
  clientSecret: CLIENT_SECRET || undefined,
  apiKey: required('API_KEY'),
  redirectUri: `${origin}/callback`,
}).catch((error: Error) => fail(`cannot reach ${tributaryUrl}: ${error.message}`));

interface Session {
  /** While the browser is at Tributary. */
  readonly begun?: Begun;
  /** After the browser has returned. */
  readonly connection?: Connection;
}
const sessions = createSessions<Session>();

interface Answer {
  readonly status: number;
  readonly location?: string;
  readonly cookie?: string;
  readonly page?: string;
}

const home: Answer = { status: 303, location: `${origin}/` };

async function answer(request: IncomingMessage): Promise<Answer> {
  // Cookies and the redirect URI belong to one host name, so redirect requests for another.
  if (`http://${request.headers.host}` !== origin) return home;
  // Any page can make a browser submit a form, but cannot fake the Origin header.
  if (request.method === 'POST' && request.headers.origin !== origin) {
    return message(403, 'The request came from another site.');
  }
  const url = new URL(origin + request.url);
  const { begun, connection } = sessions.of(request) ?? {};
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /':
      if (!connection) return { status: 200, page: button('/connect', 'Connect to Tributary') };
      return { status: 200, page: await audiencesPage(connection) };
    case 'POST /connect': {
      if (connection) return home;
      const { sendTo, ...next } = await tributary.begin();
      sessions.end(request);
      return { status: 303, location: sendTo, cookie: sessions.begin(next) };
    }
    case 'GET /callback': {
      if (!begun) return message(400, 'No connection was started in this browser.');
      // A callback is accepted only once, whatever the outcome.
      sessions.end(request);
      const cookie = sessions.begin({ connection: await tributary.finish(url, begun) });
      // Redirect to an address without the code.
      return { ...home, cookie };
    }
    case 'POST /disconnect':
      if (connection) await tributary.disconnect(connection);
      sessions.end(request);
      return home;
    default:
      return message(404, 'Page not found.');
  }
}

function answerTo(error: Error, request: IncomingMessage): Answer {
  switch (refusalOf(error)) {
    case 'access_denied':
      return message(200, 'You did not allow the app, so it is not connected.');
    case 'invalid_grant':
      sessions.end(request);
      return message(200, 'The connection has ended. Connect the app again to continue.');
    default:
      // Only the message, because the rest of an error may contain tokens.
      console.error(error.message);
      return message(502, 'Tributary is unavailable. Please try again.');
  }
}

const states = ['waiting', 'loading', 'loaded', 'failed'];

async function audiencesPage(connection: Connection): Promise<string> {
  const audiences = await tributary.audiences(connection);
  const rows = audiences.map((each) => {
    const cells = [each.name, states[each.status], each.unique_devices];
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `<table><tr><th>Audience</th><th>State</th><th>Devices</th></tr>${rows.join('')}</table>
${button('/disconnect', 'Disconnect')}`;
}

function message(status: number, sentence: string): Answer {
  return { status, page: `<p>${escaped(sentence)}</p><p><a href="/">Home</a></p>` };
}

function button(path: string, label: string): string {
  return `<form method="post" action="${path}"><button>${escaped(label)}</button></form>`;
}

function escaped(text: unknown): string {
  return String(text).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function required(name: string): string {
  return process.env[name] || fail(`${name} is not set`);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

/** Submitting the form leads to a redirect, which form-action must also allow. */
const policy = `default-src 'none'; form-action 'self' ${new URL(tributaryUrl).origin}; base-uri 'none'; frame-ancestors 'none'`;

const server = createServer(async (request, response) => {
  const answered = await answer(request).catch((error) => answerTo(error, request));
  const { status, location, cookie, page = '' } = answered;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...(location && { location }),
    ...(cookie && { 'set-cookie': cookie }),
  });
  response.end(
    `<!doctype html><html lang="en"><title>Example app</title><h1>Example app</h1>${page}`,
  );
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${origin}`));
