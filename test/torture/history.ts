import { appendFileSync } from 'node:fs';

/** What was done, for the report at the end and for the search after a failure. */
export type History = ReturnType<typeof createHistory>;

export function createHistory(print: (line: string) => void) {
  let file: string | undefined;
  const startedAt = performance.now();
  const lines: string[] = [];
  const counts = { kills: counter(), outages: counter(), operations: counter(), moves: counter() };
  let rounds = 0;
  let interrupted = 0;
  let restored = 0;
  let roundStartedAt = startedAt;

  function note(text: string): void {
    const line = `${seconds(performance.now() - startedAt)} ${text}`;
    lines.push(line);
    if (file) appendFileSync(file, `${line}\n`);
  }

  return {
    note,
    /** Writes every line to this file as well. */
    writeTo(path: string): void {
      file = path;
    },
    startRound(round: number): void {
      roundStartedAt = performance.now();
      note(`round ${round}`);
    },
    endRound(): void {
      rounds++;
      const took = seconds(performance.now() - roundStartedAt);
      note(`everything is as expected`);
      print(
        `round ${rounds} as expected after ${took}: ${counts.kills.total()} kills, ${counts.outages.total()} outages, ${counts.operations.total()} operations so far`,
      );
    },
    countKill: counts.kills.add,
    countOutage: counts.outages.add,
    countOperation: counts.operations.add,
    countMove: (place: number) => counts.moves.add(`to place ${place}`),
    countInterrupted(jobs: number): void {
      interrupted = jobs;
    },
    countRestored(): void {
      restored++;
    },
    /** The lines of the last round. */
    lastRound: (): readonly string[] =>
      lines.slice(lines.findLastIndex((line) => / round \d+$/.test(line))),
    summary(): string {
      const took = (performance.now() - startedAt) / 60_000;
      return [
        `${rounds} rounds in ${took.toFixed(1)} minutes`,
        `${counts.kills.total()} kills (kill -9): ${counts.kills.list()}`,
        `${counts.outages.total()} other faults: ${counts.outages.list()}`,
        `${counts.operations.total()} operations: ${counts.operations.list()}`,
        `${interrupted} jobs were interrupted and ran again`,
        ...(counts.moves.total() === 0
          ? []
          : [`${counts.moves.total()} moves of the device sets: ${counts.moves.list()}`]),
        ...(restored === 0 ? [] : [`${restored} backups were restored and were as expected`]),
      ].join('\n');
    },
  };
}

function counter() {
  const counted = new Map<string, number>();
  return {
    add: (name: string): void => void counted.set(name, (counted.get(name) ?? 0) + 1),
    total: () => [...counted.values()].reduce((sum, count) => sum + count, 0),
    list: () => [...counted].map(([name, count]) => `${name} ${count}`).join(', '),
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
