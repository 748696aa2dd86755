/** From harmless to severe. */
export const findingLevels = ['ok', 'warning', 'failure'] as const;
export type FindingLevel = (typeof findingLevels)[number];

/** One line of an examination. */
export interface Finding {
  readonly level: FindingLevel;
  /** What was examined. */
  readonly check: string;
  readonly found: string;
  /** What to do about it. Null if nothing is to be done. */
  readonly advice: string | null;
}

export function ok(check: string, found: string): Finding {
  return { level: 'ok', check, found, advice: null };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { level: 'warning', check, found, advice };
}

export function failure(check: string, found: string, advice: string): Finding {
  return { level: 'failure', check, found, advice };
}

/** The most severe level of all. */
export function worstOf(findings: readonly Finding[]): FindingLevel {
  const worst = Math.max(0, ...findings.map(({ level }) => findingLevels.indexOf(level)));
  return findingLevels[worst]!;
}
