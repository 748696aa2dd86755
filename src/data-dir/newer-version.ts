/** Whether a release version such as `0.2.0` or `0.2.0-rc.1` comes after another. */
export function isNewerVersion(version: string, other: string): boolean {
  const [release = '', preview] = version.split('-', 2);
  const [otherRelease = '', otherPreview] = other.split('-', 2);
  const order = compare(release, otherRelease);
  if (order !== 0) return order > 0;
  // A preview comes before its release.
  if (preview === undefined || otherPreview === undefined) {
    return preview === undefined && otherPreview !== undefined;
  }
  return compare(preview, otherPreview) > 0;
}

/** Numbers in the texts are compared as numbers: 10 comes after 9. */
function compare(text: string, other: string): number {
  return text.localeCompare(other, 'en', { numeric: true });
}
