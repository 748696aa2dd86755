import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readRequestSignature } from '../../src/objects/endpoint/signing/request-signature.ts';
import {
  canonicalHeaderValue,
  createSigner,
  sameSignature,
  sha256,
} from '../../src/objects/endpoint/signing/signer.ts';
import { canonicalQuery, parseTarget } from '../../src/objects/endpoint/wire/target.ts';
import type { AccessKeys } from '../../src/objects/port.ts';
import { bytesOf } from './blobs.ts';
import { bucket, signRequest } from './endpoint.ts';

/** The keys of the service itself. */
export const assumer = {
  principal: 'arn:aws:iam::123456789012:user/tributary',
  accessKeyId: 'AKIASERVICE',
  secretAccessKey: 'the secret of the service',
  region: 'us-east-1',
};

export interface StsServer extends AsyncDisposable {
  /** STS's own address. */
  readonly url: string;
  /** The address of the bucket for temporary keys. */
  readonly bucketUrl: string;
  /** Roles that exist, with the external ID that their trust policy demands. */
  readonly trusts: Map<string, string>;
  /** The external IDs and session names of all calls. */
  readonly calls: URLSearchParams[];
  /** Issues temporary keys that are valid for so many requests. */
  issue(requests?: number): Required<AccessKeys>;
  /** For how many requests the keys of roles are valid. */
  requestsPerKey: number;
  /** The status of an outage, or null. */
  outage: number | null;
}

/**
 * Plays STS, and a bucket that accepts only temporary keys. Both check SigV4 signatures with the code of our S3
 * endpoint. Requests with valid temporary keys are signed again with the keys of the bucket's owner and sent to
 * its endpoint.
 */
export async function startStsServer(store: string, owner: AccessKeys): Promise<StsServer> {
  const issued = new Map<string, { keys: Required<AccessKeys>; left: number }>();

  const sts = createServer(async (incoming, response) => {
    const body = (await bytesOf(incoming)).toString();
    if (state.outage !== null) return answer(response, state.outage, 'ServiceUnavailable');
    const isOurs = isSigned(incoming, assumer, 'sts', sha256(body));
    if (!isOurs) return answer(response, 403, 'SignatureDoesNotMatch');
    const call = new URLSearchParams(body);
    state.calls.push(call);
    const trusted = state.trusts.get(call.get('RoleArn') ?? '');
    if (trusted === undefined || trusted !== call.get('ExternalId')) {
      return answer(response, 403, 'AccessDenied');
    }
    const { accessKeyId, secretAccessKey, sessionToken } = state.issue(state.requestsPerKey);
    // The SDK renews keys that expire within five minutes, so it renews these for every request.
    const expires = new Date(Date.now() + 60_000).toISOString();
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${expires}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  });

  const gateway = createServer((incoming, response) => {
    const accessKeyId = /Credential=(\w+)\//.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const known = issued.get(accessKeyId);
    const hash = String(incoming.headers['x-amz-content-sha256']);
    if (
      !known ||
      incoming.headers['x-amz-security-token'] !== known.keys.sessionToken ||
      !isSigned(incoming, known.keys, 's3', hash)
    ) {
      return answer(response, 403, 'InvalidAccessKeyId');
    }
    if (known.left-- <= 0) return answer(response, 400, 'ExpiredToken');
    const { method = '', url = '' } = incoming;
    const { 'if-match': ifMatch, range } = incoming.headers;
    const { headers } = signRequest(store, owner, method, url, {
      headers: { ...(ifMatch && { 'if-match': ifMatch }), ...(range && { range }) },
    });
    const outgoing = request(store + url, { method, headers }, (stored) => {
      response.writeHead(stored.statusCode ?? 500, stored.headers);
      stored.pipe(response);
    });
    outgoing.end();
  });

  const state = {
    url: await listen(sts),
    bucketUrl: await listen(gateway),
    trusts: new Map<string, string>(),
    calls: [] as URLSearchParams[],
    requestsPerKey: 1_000,
    outage: null as number | null,
    issue(requests = 1_000) {
      const keys = {
        accessKeyId: `ASIA${randomBytes(8).toString('hex')}`,
        secretAccessKey: randomBytes(16).toString('hex'),
        sessionToken: randomBytes(16).toString('hex'),
      };
      issued.set(keys.accessKeyId, { keys, left: requests });
      return keys;
    },
    async [Symbol.asyncDispose]() {
      for (const server of [sts, gateway]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return state;
}

function isSigned(
  incoming: IncomingMessage,
  keys: AccessKeys,
  service: string,
  payloadHash: string,
): boolean {
  const target = parseTarget(incoming.url ?? '', '', bucket);
  const headers = incoming.headersDistinct;
  const signature = readRequestSignature(headers, target);
  if (signature.accessKeyId !== keys.accessKeyId || signature.scope.service !== service)
    return false;
  const signer = createSigner(keys.secretAccessKey, signature.timestamp, signature.scope);
  const expected = signer.signRequest({
    method: incoming.method ?? '',
    path: target.canonicalPath,
    query: canonicalQuery(target.parameters),
    headers: signature.signedHeaders.map((name) => [
      name,
      canonicalHeaderValue(headers[name] ?? []),
    ]),
    payloadHash,
  });
  return sameSignature(expected, signature.signature);
}

function answer(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'text/xml' });
  const error = `<Error><Code>${code}</Code><Message>refused</Message></Error>`;
  response.end(`<ErrorResponse>${error}</ErrorResponse>`);
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
