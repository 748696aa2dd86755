import { randomOf } from '../support/seeded.ts';

/** Returns a number from 0 up to but excluding `below`. */
export type Random = (below: number) => number;

/** The stream of random numbers of one actor. The same seed and name give the same numbers. */
export function streamOf(seed: number, name: string): Random {
  return randomOf(`${seed}: ${name}`);
}

export function chosen<T>(choices: readonly T[], random: Random): T {
  const choice = choices[random(choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
}

/** Some of the choices, at least one, in their order. */
export function someOf<T>(choices: readonly T[], random: Random): T[] {
  const some = choices.filter(() => random(2) === 0);
  return some.length > 0 ? some : [chosen(choices, random)];
}

/** Draws every card once before any card comes again, like a shuffled deck. */
export function deckOf<T>(cards: readonly T[], random: Random): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...cards];
    return left.splice(random(left.length), 1)[0]!;
  };
}
