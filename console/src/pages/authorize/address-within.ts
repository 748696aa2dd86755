/** Returns the address if it belongs to this origin. The browser must not be redirected elsewhere. */
export function addressWithin(origin: string, address: string): string {
  const url = URL.parse(address, origin);
  if (url?.origin !== origin) throw new Error('The service redirected to another site.');
  return url.href;
}
