import type { Answer, CallOptions, TestApp } from './app.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** Handles cookies and addresses like a browser, with cookie paths. Does not follow redirects. */
export interface Browser {
  readonly cookies: readonly Cookie[];
  /** Sends a request; the service's public URL leads to the app. */
  visit(address: string, options?: CallOptions & { readonly method?: string }): Promise<Answer>;
  /** Calls like the signed-in console, with its CSRF token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  signIn(json: object): Promise<void>;
}

export const publicUrl = 'http://localhost:8080';

/** The apps take turns serving one public address, like processes behind a load balancer. */
export function openBrowser(...apps: readonly TestApp[]): Browser {
  let jar: Cookie[] = [];
  let csrfToken = '';
  let turn = 0;

  async function visit(
    address: string,
    { method = 'GET', ...options }: CallOptions & { readonly method?: string } = {},
  ): Promise<Answer> {
    const { origin, pathname, search } = new URL(address, publicUrl);
    if (origin !== publicUrl) throw new Error(`${address} is not an address of the service`);
    const app = apps[turn++ % apps.length]!;
    const cookie = jar
      .filter(({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(cookie === '' ? {} : { cookie }), ...options.headers };
    const answer = await app.call(method, pathname + search, { ...options, headers });
    for (const line of answer.headers.getSetCookie()) {
      const next = parseCookie(line);
      jar = jar.filter(({ name, path }) => name !== next.name || path !== next.path);
      if (next.value !== '') jar.push(next);
    }
    return answer;
  }

  return {
    get cookies() {
      return jar;
    },
    visit,
    call: (method, path, options = {}) =>
      visit(path, {
        ...options,
        method,
        headers: { 'x-csrf-token': csrfToken, ...options.headers },
      }),
    async signIn(json) {
      const answer = await visit('/v1/console/session', { method: 'POST', json });
      if (answer.status !== 201) throw new Error(`not signed in: ${answer.text}`);
      csrfToken = answer.body.csrf_token;
    },
  };
}

function parseCookie(line: string): Cookie {
  const [pair = '', ...attributes] = line.split(/; */);
  const equals = pair.indexOf('=');
  const path = attributes.find((each) => /^path=/i.test(each))?.slice('path='.length) ?? '/';
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1), path };
}
