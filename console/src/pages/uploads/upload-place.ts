import { shellWord } from '../imports/commands.ts';

/** Where uploads go, and the command for files that a browser cannot upload. */

/** The limit of S3 for a single request. */
export const maximumUploadBytes = 5 * 1024 ** 3;

/** The path of a file under the partner's prefix: an optional folder and the name. */
export function pathInFolder(folder: string, name: string): string {
  const trimmed = folder.trim().replace(/^\/+/, '').replace(/\/+$/, '');
  return trimmed === '' ? name : `${trimmed}/${name}`;
}

/** The common folder of two or more paths, with its slash; null if there is none. */
export function commonFolder(paths: readonly string[]): string | null {
  if (paths.length < 2) return null;
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1));
  const isShared = (depth: number) => others.every((folders) => folders[depth] === first[depth]);
  const end = first.findIndex((_, depth) => !isShared(depth));
  const shared = end === -1 ? first : first.slice(0, end);
  return shared.length === 0 ? null : `${shared.join('/')}/`;
}

/**
 * The command that uploads a file in parts. Endpoint and region are taken from the presigned URL,
 * which has the bucket in the host name or in the path.
 */
export function copyCommand(link: string, bucket: string, s3Path: string, name: string): string {
  const url = new URL(link);
  const region = url.searchParams.get('X-Amz-Credential')?.split('/').at(-3);
  return [
    'aws s3 cp',
    shellWord(name.startsWith('-') ? `./${name}` : name),
    shellWord(`s3://${bucket}/${s3Path}`),
    ...(isOfAws(url) ? [] : [`--endpoint-url ${endpointOf(url, bucket)}`]),
    ...(region === undefined ? [] : [`--region ${region}`]),
  ].join(' ');
}

function isOfAws({ hostname }: URL): boolean {
  return hostname.endsWith('.amazonaws.com');
}

function endpointOf({ protocol, host }: URL, bucket: string): string {
  return `${protocol}//${host.startsWith(`${bucket}.`) ? host.slice(bucket.length + 1) : host}`;
}
