/** The event labels of an audience, numbered in the order in which they were met. */
export interface LabelRegistry {
  /** Undefined once the audience has as many labels as it may have, and this is another. */
  numberOf(label: string): number | undefined;
  /** The labels by number. */
  labels(): readonly string[];
  /** Forgets all but the first `count`: what a file brought that then failed. */
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
