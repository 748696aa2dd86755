/** Commands to copy, complete but for the API key, which nobody shall find on a screen. */

/** Where the command looks by itself. */
const standardOrigin = 'http://127.0.0.1:8080';

/** What the command is told one after the other, each by its words. */
export function tributaryCommands(origin: string, ...all: readonly (readonly string[])[]): string {
  const setting = origin === standardOrigin ? [] : [`export TRIBUTARY_URL=${shellWord(origin)}`];
  return [
    ...setting,
    ...all.map((words) => ['npx tributary', ...words.map(shellWord)].join(' ')),
  ].join('\n');
}

/** How a partner makes an audience that belongs to a customer. */
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

/** One word to a shell, whatever it holds. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
