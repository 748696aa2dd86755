import { Argument, type Command } from 'commander';
import { commandTree } from './command-tree.ts';
import { completionScript, type Shell, shells } from './completion-script.ts';

const help = `
bash: add to ~/.bashrc             source <(tributary completion bash)
zsh:  add to ~/.zshrc              source <(tributary completion zsh)
fish: tributary completion fish > ~/.config/fish/completions/tributary.fish`;

/** `program` must have all commands with their options. */
export function addCompletionCommand(completion: Command, program: Command): void {
  completion
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, commandTree(program)));
    });
}
