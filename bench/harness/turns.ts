export interface Side {
  run(): Promise<number>;
  /** Fewer rounds for a slow side. */
  readonly rounds?: number;
}

/** Runs the sides alternately, so other load on the machine affects all of them. */
export async function takeTurns<Name extends string>(
  rounds: number,
  sides: Readonly<Record<Name, Side>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const side = sides[name];
      if (round >= (side.rounds ?? rounds)) continue;
      const value = await side.run();
      measured[name].push(value);
      process.stderr.write(`  round ${round + 1}: ${name} ${value.toPrecision(3)}\n`);
    }
  }
  return measured;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
