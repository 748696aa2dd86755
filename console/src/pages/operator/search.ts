/** Those of which one text, in any letter case, holds what is searched for. */
export function matching<T>(
  all: readonly T[],
  searched: string,
  textsOf: (each: T) => readonly string[],
): readonly T[] {
  const wanted = searched.trim().toLowerCase();
  if (wanted === '') return all;
  return all.filter((each) => textsOf(each).some((text) => text.toLowerCase().includes(wanted)));
}
