/** Commands to copy, complete except for the API key, which must not appear on a screen. */

/** The default of the command line. */
const defaultOrigin = 'http://127.0.0.1:8080';

/** One `tributary` command per line, each given as its words. */
export function tributaryCommands(origin: string, ...all: readonly (readonly string[])[]): string {
  const setting = origin === defaultOrigin ? [] : [`export TRIBUTARY_URL=${shellWord(origin)}`];
  return [
    ...setting,
    ...all.map((words) => ['npx tributary', ...words.map(shellWord)].join(' ')),
  ].join('\n');
}

/** The command with which a partner creates an audience for a customer. */
export function createAudienceCommand(origin: string): string {
  const body = JSON.stringify({ name: 'Spring visitors', file_path: 'spring/' });
  return [
    `curl ${shellWord(`${origin}/v2/firstparty/audience`)}`,
    '-H "Authorization: Bearer $TRIBUTARY_API_KEY"',
    '-H "x-user-token: $TRIBUTARY_USER_TOKEN"',
    "-H 'Content-Type: application/json'",
    `-d ${shellWord(body)}`,
  ].join(' \\\n  ');
}

/** Quotes any text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
