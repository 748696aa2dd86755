const longest = 80;

/** A file name that every file system accepts, with the name of the audience and the local day. */
export function csvFileName(audienceName: string, at: Date): string {
  const words = audienceName
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const name = Array.from(words).slice(0, longest).join('').replace(/-+$/, '');
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return `${name || 'audience'}-composition-${day}.csv`;
}
