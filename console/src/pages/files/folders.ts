/** Paths in the partner's part of the bucket. Folders end in a slash; the outermost one is empty. */

/** The folder that a path is in; a folder is in itself. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The last part of a path, with the slash of a folder. */
export function nameOf(path: string): string {
  return path.slice(folderOf(path.replace(/\/$/, '')).length);
}

/** The folders around a folder, the outermost first, and the folder itself last. */
export function stepsTo(folder: string): string[] {
  const names = folder.split('/').slice(0, -1);
  return ['', ...names.map((_, depth) => `${names.slice(0, depth + 1).join('/')}/`)];
}
