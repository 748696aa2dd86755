const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

const answerParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

/**
 * What is wrong with an address that a browser is to be sent back to with a code; undefined if
 * nothing is. Requests are held to it letter by letter, so it must be in the one form in which a
 * browser writes it.
 */
export function redirectAddressFault(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return 'must be an absolute address';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.protocol === 'http:' && !loopbackHosts.has(url.hostname)) {
    return 'must begin with https://, unless it is on localhost, 127.0.0.1 or [::1]';
  }
  if (address.includes('#')) return 'must have no fragment';
  if (address.includes('*')) return 'must have no wildcard';
  if (url.username !== '' || url.password !== '') return 'must name no user';
  if (url.port === '0') return 'must name a port that can be listened on';
  const taken = answerParameters.find((name) => url.searchParams.has(name));
  if (taken !== undefined) return `must not have ${taken} in its query, which the answer has`;
  if (url.href !== address) return `must be written as ${url.href}`;
  return undefined;
}
