/** The entries that contain the search text in one of their texts, ignoring case. */
export function matching<T>(
  all: readonly T[],
  searched: string,
  textsOf: (each: T) => readonly string[],
): readonly T[] {
  const wanted = searched.trim().toLowerCase();
  if (wanted === '') return all;
  return all.filter((each) => textsOf(each).some((text) => text.toLowerCase().includes(wanted)));
}
