/** A certificate chain and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The certificate of the servers of a process. */
export interface Tls {
  current(): Certificate;
  /** Gives every later certificate to this server. */
  follow(server: { setSecureContext(certificate: Certificate): void }): void;
}

/** Makes browsers use https for this host, for a year after each response. */
export const strictTransport = 'max-age=31536000';
