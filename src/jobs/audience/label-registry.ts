/** The event labels of an audience, numbered in order of first occurrence. */
export interface LabelRegistry {
  /** Adds a new label. Undefined if the label is new and the limit is reached. */
  numberOf(label: string): number | undefined;
  /** The labels, ordered by number. */
  labels(): readonly string[];
  /** Keeps only the first `count` labels, to undo a failed file. */
  truncate(count: number): void;
}

export function createLabelRegistry(known: readonly string[], limit: number): LabelRegistry {
  const labels = [...known];
  const numbers = new Map(labels.map((label, number) => [label, number]));
  return {
    numberOf(label) {
      const number = numbers.get(label);
      if (number !== undefined || labels.length >= limit) return number;
      numbers.set(label, labels.length);
      return labels.push(label) - 1;
    },
    labels: () => labels,
    truncate(count) {
      for (const label of labels.splice(count)) numbers.delete(label);
    },
  };
}
