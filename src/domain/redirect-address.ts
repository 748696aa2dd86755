const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

/**
 * Returns what is wrong with a redirect address, or undefined. Requests must match it character by
 * character, so it must be written exactly as a browser normalises it.
 */
export function redirectAddressFault(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return 'must be an absolute URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.protocol === 'http:' && !loopbackHosts.has(url.hostname)) {
    return 'must begin with https://, unless it is on localhost, 127.0.0.1 or [::1]';
  }
  if (address.includes('#')) return 'must not have a fragment';
  if (address.includes('*')) return 'must not have a wildcard';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password';
  if (url.port === '0') return 'must not have port 0';
  const taken = responseParameters.find((name) => url.searchParams.has(name));
  if (taken !== undefined)
    return `must not have ${taken} in its query, because the response adds it`;
  if (url.href !== address) return `must be written as ${url.href}`;
  return undefined;
}
