/** A partner's app: it lists the audiences of the customer whose user has let it in. */
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
}).catch((error: Error) => fail(`${tributaryUrl} does not answer: ${error.message}`));

interface Session {
  /** While the browser is at Tributary. */
  readonly begun?: Begun;
  /** Once it came back. */
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
  // A cookie belongs to one name of this machine, and so does the redirect address.
  if (`http://${request.headers.host}` !== origin) return home;
  // Any page can make a browser send a form, but not hide where the form was.
  if (request.method === 'POST' && request.headers.origin !== origin) {
    return says(403, 'That came from another site.');
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
      if (!begun) return says(400, 'Nothing was begun in this browser.');
      // An answer is taken once, whatever comes of it.
      sessions.end(request);
      const cookie = sessions.begin({ connection: await tributary.finish(url, begun) });
      // On to an address without the code.
      return { ...home, cookie };
    }
    case 'POST /disconnect':
      if (connection) await tributary.disconnect(connection);
      sessions.end(request);
      return home;
    default:
      return says(404, 'There is nothing here.');
  }
}

function answerTo(error: Error, request: IncomingMessage): Answer {
  switch (refusalOf(error)) {
    case 'access_denied':
      return says(200, 'You have not allowed it, so nothing is connected.');
    case 'invalid_grant':
      sessions.end(request);
      return says(200, 'This app may not act for you any more, unless you connect it again.');
    default:
      // The message alone: the rest of an error may hold tokens.
      console.error(error.message);
      return says(502, 'That did not work. Please try again.');
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

function says(status: number, sentence: string): Answer {
  return { status, page: `<p>${escaped(sentence)}</p><p><a href="/">To the start</a></p>` };
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

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/** The form that connects is answered with a redirect, which browsers hold to form-action, too. */
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
