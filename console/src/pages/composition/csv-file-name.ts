const longest = 80;

/** A name that every file system takes, and that still says which audience it is of. */
export function csvFileName(audienceName: string): string {
  const words = audienceName
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const name = Array.from(words).slice(0, longest).join('').replace(/-+$/, '');
  return `${name || 'audience'}-composition.csv`;
}
