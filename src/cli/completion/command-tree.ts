import type { Command } from 'commander';

/** A word that can be completed, and what it means. */
interface Word {
  readonly word: string;
  readonly description: string;
}

/** A command with what can follow it. */
export interface CommandNode {
  /** The words that lead to it, such as `partner create`; empty for `tributary` itself. */
  readonly path: string;
  /** Its subcommands and options. */
  readonly words: readonly Word[];
  /** By option, the values that can follow it; empty if it can be any text. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** All commands below this one, and itself first. */
export function commandTree(program: Command, path = ''): CommandNode[] {
  const commands = program.commands.filter((command) => command.name() !== 'help');
  // The help has the same commands and options, without hidden ones.
  const options = program.createHelp().visibleOptions(program);
  const words = [
    ...commands.map((command) => ({ word: command.name(), description: command.description() })),
    ...options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
  ];
  const withValues = options.filter(({ required, optional }) => required || optional);
  const values = new Map(
    withValues.map(({ long, short, argChoices }) => [long ?? short ?? '', argChoices ?? []]),
  );
  const below = commands.flatMap((command) =>
    commandTree(command, path === '' ? command.name() : `${path} ${command.name()}`),
  );
  return [{ path, words, values }, ...below];
}
