import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../server/app-types.ts';

/** How the operator names the service. */
export interface Brand {
  readonly name: string;
  /** Null: the logo of Tributary. */
  readonly logo: { readonly content: Buffer; readonly type: string } | null;
}

interface ConsoleFiles {
  /** The build output of the console. */
  readonly folder: string;
  /** Browsers upload to it, so the content security policy allows it. */
  readonly storageOrigin: string;
  readonly brand: Brand;
  /** Whether users can ask for a new password by e-mail. */
  readonly sendsMail: boolean;
}

const notBuilt = 'The console is not built. Run `npm install` in the service folder.\n';
const logoPath = '/console/logo';

/** The script of the API reference. It is built together with the console. */
const referenceScript = '/docs/reference.js';

/**
 * The console: one page for every address under /console, and its assets. The page contains no
 * user data; it gets all data from the API.
 */
export async function registerConsolePage(app: App, files: ConsoleFiles): Promise<void> {
  const hide = { schema: { hide: true } };
  const headers = pageHeaders(files.storageOrigin);
  const index = join(files.folder, 'index.html');

  if (!existsSync(index)) {
    const answer = async (_request: unknown, reply: FastifyReply) =>
      reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
    app.get('/console', hide, answer);
    app.get('/console/*', hide, answer);
    app.get(referenceScript, hide, answer);
    return;
  }

  await app.register(serveStatic, {
    root: files.folder,
    prefix: '/console/',
    serve: false,
    preCompressed: true,
    index: false,
  });
  const facts = pageFacts(files);
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const html = await readFile(index, 'utf8');
    reply.headers(headers).type('text/html; charset=utf-8');
    return reply.send(
      html
        .replace('<html lang="en">', () => `<html lang="en"${themeOf(request)}>`)
        .replace(/<title>.*?<\/title>/, () => facts),
    );
  };
  app.get('/console', hide, page);
  app.get('/console/*', hide, page);
  app.get<{ Params: { '*': string } }>('/console/assets/*', hide, async (request, reply) =>
    // Asset names change with their content.
    reply.sendFile(`assets/${request.params['*']}`, { maxAge: '1y', immutable: true }),
  );
  app.get(referenceScript, hide, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').sendFile('reference.js', { cacheControl: false }),
  );
  const { logo } = files.brand;
  if (logo) {
    // A page may show the logo as an image, in which nothing runs. Opened by itself, it gets no rights.
    const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    app.get(logoPath, hide, async (_request, reply) =>
      reply
        .type(logo.type)
        .headers({ 'content-security-policy': policy, 'cache-control': 'max-age=31536000' })
        .send(logo.content),
    );
  }
}

/** The theme that the user chose in this browser. The page has it from the start, so nothing flashes. */
function themeOf({ cookies }: FastifyRequest): string {
  const theme = cookies['tributary-theme'];
  return theme === 'light' || theme === 'dark' ? ` data-theme="${theme}"` : '';
}

/** The title, and what the console has to know before anyone signs in. */
function pageFacts({ brand: { name, logo }, sendsMail }: ConsoleFiles): string {
  const facts = {
    brand: name,
    ...(logo && { logo: `${logoPath}?${digestOf(logo.content)}` }),
    ...(sendsMail && { mail: 'yes' }),
  };
  const metas = Object.entries(facts).map(
    ([fact, content]) => `<meta name="tributary-${fact}" content="${escaped(content)}">`,
  );
  return [`<title>${escaped(name)}</title>`, ...metas].join('\n    ');
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function pageHeaders(storageOrigin: string): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': `'self' ${storageOrigin}`,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
  };
  return {
    'cache-control': 'no-cache',
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    vary: 'cookie',
  };
}
