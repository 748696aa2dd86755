import type { CommandNode } from './command-tree.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A script that completes commands, options and their values. Anything else is completed as a file name. */
export function completionScript(shell: Shell, nodes: readonly CommandNode[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(nodes);
    case 'zsh':
      return zshScript(nodes);
    case 'fish':
      return fishScript(nodes);
  }
}

/** Each script first finds the command that the words so far name, in `at`. */
function bashScript(nodes: readonly CommandNode[]): string {
  return `# Add to ~/.bashrc: source <(tributary completion bash)
_tributary() {
  local at='' next word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${pathsOf(nodes).map(quoted).join(' | ')}) at=$next ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${valuesOf(nodes)
  .map(({ after, values }) => `    ${quoted(after)}) words=${quoted(values.join(' '))} ;;`)
  .join('\n')}
    *)
      case "$at" in
${nodes
  .map(
    ({ path, words }) =>
      `        ${quoted(path)}) words=${quoted(words.map(({ word }) => word).join(' '))} ;;`,
  )
  .join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _tributary tributary
`;
}

function zshScript(nodes: readonly CommandNode[]): string {
  return `#compdef tributary
# Add to ~/.zshrc, after compinit: source <(tributary completion zsh)
_tributary() {
  local at='' next word
  local -a found
  for word in \${words[2,CURRENT-1]}; do
    next="\${at:+$at }$word"
    case "$next" in
      (${pathsOf(nodes).map(quoted).join('|')}) at=$next ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${valuesOf(nodes)
  .map(({ after, values }) => `    (${quoted(after)}) found=(${values.map(quoted).join(' ')}) ;;`)
  .join('\n')}
    (*)
      case "$at" in
${nodes
  .map(
    ({ path, words }) =>
      `        (${quoted(path)}) found=(${words
        .map(({ word, description }) =>
          quoted(`${word}:${description.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`),
        )
        .join(' ')}) ;;`,
  )
  .join('\n')}
      esac
      ;;
  esac
  _describe 'tributary' found || _files
}
compdef _tributary tributary
`;
}

function fishScript(nodes: readonly CommandNode[]): string {
  const at = (path: string) => `-n ${fishQuoted(`test (__tributary_at) = ${fishQuoted(path)}`)}`;
  const lines = nodes.flatMap(({ path, words, values }) =>
    words.map(({ word, description }) => {
      const about = `-d ${fishQuoted(description)}`;
      if (!word.startsWith('--')) {
        return `complete -c tributary ${at(path)} -a ${fishQuoted(word)} ${about}`;
      }
      const choices = values.get(word);
      const value =
        choices === undefined
          ? ''
          : ` -r${choices.length > 0 ? ` -f -a ${fishQuoted(choices.join(' '))}` : ''}`;
      return `complete -c tributary ${at(path)} -l ${word.slice(2)}${value} ${about}`;
    }),
  );
  return `# Save as ~/.config/fish/completions/tributary.fish
function __tributary_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$at $word")
    switch $next
      case ${pathsOf(nodes).map(fishQuoted).join(' ')}
        set at $next
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}

function pathsOf(nodes: readonly CommandNode[]): string[] {
  return nodes.map(({ path }) => path).filter((path) => path !== '');
}

/** The values after each option of each command. */
function valuesOf(nodes: readonly CommandNode[]) {
  return nodes.flatMap(({ path, values }) =>
    Array.from(values, ([option, choices]) => ({ after: `${path} ${option}`, values: choices })),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
