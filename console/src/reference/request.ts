/** A field of the form as the reader filled it in. */
export interface Entered {
  readonly place: string;
  readonly name: string;
  readonly value: string | Blob;
  /** Of a credential: the header that carries it, and what comes before it there. */
  readonly header?: string;
  readonly prefix?: string;
  /** Of a body: its media type. */
  readonly type?: string;
}

export interface PreparedRequest {
  readonly url: URL;
  readonly init: RequestInit;
}

/**
 * The request to this origin, whatever was entered. It sends no cookies, so that the only credentials are
 * those of the form, and follows no redirect, so that no other address gets them.
 */
export function prepareRequest(
  operation: { readonly method: string; readonly path: string; readonly accept: string },
  fields: readonly Entered[],
  origin: string,
): PreparedRequest {
  const given = fields.filter(({ value }) => value !== '');
  const url = new URL(origin);
  url.pathname = filledPath(operation.path, given);
  const headers = new Headers({ accept: operation.accept });
  let body: string | Blob | undefined;
  for (const { place, name, value, header = '', prefix = '', type = '' } of given) {
    if (place === 'query') url.searchParams.append(name, String(value));
    if (place === 'header') headers.set(name, String(value));
    if (place === 'credential') headers.set(header, prefix + String(value).trim());
    if (place === 'body') {
      body = value;
      headers.set('content-type', type);
    }
  }
  return {
    url,
    init: {
      method: operation.method,
      headers,
      credentials: 'omit',
      mode: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      ...(body === undefined ? {} : { body }),
    },
  };
}

function filledPath(path: string, fields: readonly Entered[]): string {
  return path.replace(/\{([^}]+)\}/g, (template, name: string) => {
    const field = fields.find((one) => one.place === 'path' && one.name === name);
    if (field === undefined) return template;
    const value = String(field.value);
    // Browsers treat these as steps in the path, even if they are percent-encoded.
    if (value === '.' || value === '..')
      throw new RangeError(`"${value}" cannot be sent as ${name}.`);
    return encodeURIComponent(value);
  });
}
