/** Sends and stores cookies like a browser: one jar for all ports of a host. Does not follow redirects. */
export function openCookieJar() {
  const cookies = new Map<string, { readonly value: string; readonly path: string }>();

  return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(address);
    const cookie = [...cookies]
      .filter(([, { path }]) => path === '/' || `${pathname}/`.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(init.headers as Record<string, string>), cookie };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; *path=([^;]*)/i.exec(line)?.[1] ?? '/';
      if (value === '') cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    return response;
  };
}
