/** The address, if it lies within this origin: the browser is sent nowhere else from here. */
export function addressWithin(origin: string, address: string): string {
  const url = URL.parse(address, origin);
  if (url?.origin !== origin) throw new Error('The service named an address that is not its own.');
  return url.href;
}
