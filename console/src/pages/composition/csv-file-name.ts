const longest = 80;

/** A file name that every file system accepts and that still names the audience. */
export function csvFileName(audienceName: string): string {
  const words = audienceName
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const name = Array.from(words).slice(0, longest).join('').replace(/-+$/, '');
  return `${name || 'audience'}-composition.csv`;
}
