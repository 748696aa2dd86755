import type { Answer, CallOptions, TestApp } from './app.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** A browser as far as cookies and addresses go: it keeps to paths, and follows no redirect by itself. */
export interface Browser {
  readonly cookies: readonly Cookie[];
  /** One request; addresses of the service's public URL reach the app. */
  visit(address: string, options?: CallOptions & { readonly method?: string }): Promise<Answer>;
  /** As the console calls, signed in, with its CSRF token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  signIn(json: object): Promise<void>;
}

export const publicUrl = 'http://localhost:8080';

/** The apps serve one public address by turns, as processes behind a balancer do. */
export function openBrowser(...apps: readonly TestApp[]): Browser {
  let jar: Cookie[] = [];
  let csrfToken = '';
  let turn = 0;

  async function visit(
    address: string,
    { method = 'GET', ...options }: CallOptions & { readonly method?: string } = {},
  ): Promise<Answer> {
    const { origin, pathname, search } = new URL(address, publicUrl);
    if (origin !== publicUrl) throw new Error(`${address} is not the service's`);
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
