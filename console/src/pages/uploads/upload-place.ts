import { shellWord } from '../imports/commands.ts';

/** Where uploads go, and how to bring there what a browser cannot. */

/** As much as S3 takes in one request. */
export const maximumUploadBytes = 5 * 1024 ** 3;

/** The path of a file below the partner's prefix: a folder, if one is wished, and its name. */
export function pathInFolder(folder: string, name: string): string {
  const trimmed = folder.trim().replace(/^\/+/, '').replace(/\/+$/, '');
  return trimmed === '' ? name : `${trimmed}/${name}`;
}

/** What two or more paths lie below, with its slash; null if that is nothing but the prefix itself. */
export function commonFolder(paths: readonly string[]): string | null {
  if (paths.length < 2) return null;
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1));
  const isShared = (depth: number) => others.every((folders) => folders[depth] === first[depth]);
  const end = first.findIndex((_, depth) => !isShared(depth));
  const shared = end === -1 ? first : first.slice(0, end);
  return shared.length === 0 ? null : `${shared.join('/')}/`;
}

/**
 * The command that copies a file in parts to where the link would have put it whole. The link knows
 * it all: the endpoint, with the bucket before the host or in the path, and the region it is signed for.
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
