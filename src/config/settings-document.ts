import { markdownTable } from './markdown-table.ts';
import { type Setting, settingSubjects, settings } from './settings.ts';

const introduction = `# Settings

All settings are environment variables. An unset or empty variable means the default. An invalid value stops the start with one line
that names the setting. Unknown variables that begin with \`TRIBUTARY_\` are reported in the log.

"Used by" names the process: \`api\` and \`worker\` are the two roles, both of which \`npm start\` runs; \`command\` is the \`tributary\` command.
`;

const browserUploads = `## Uploads from browsers

Browsers upload from the console directly to the object storage. The embedded store allows this if the console was opened at
\`TRIBUTARY_PUBLIC_URL\` (on the machine itself, \`localhost\` and \`127.0.0.1\` both work). A shared bucket in another store needs a
CORS rule for that origin:

\`\`\`sh
aws s3api put-bucket-cors --bucket my-bucket --cors-configuration '{"CORSRules": [{
  "AllowedOrigins": ["https://tributary.example.com"], "AllowedMethods": ["PUT"], "AllowedHeaders": ["content-type"], "MaxAgeSeconds": 3600}]}'
\`\`\`
`;

const heading = ['Setting', 'Value', 'Default', 'Used by', 'Description'];

/** docs/settings.md. `npx vitest run src/config/settings-document.test.ts -u` writes it. */
export function settingsDocument(): string {
  const all: [string, Setting<unknown, unknown>][] = Object.entries(settings);
  const sections = settingSubjects.map((subject) => {
    const rows = all.filter(([, setting]) => setting.subject === subject).map(rowOf);
    return `## ${subject}\n\n${markdownTable(heading, rows)}\n`;
  });
  return [introduction, ...sections, browserUploads].join('\n');
}

function rowOf([name, setting]: [string, Setting<unknown, unknown>]): string[] {
  return [
    `\`${name}\``,
    setting.parser.wanted,
    setting.defaultText ?? `\`${setting.whenUnset}\``,
    setting.usedBy.join(', '),
    setting.description,
  ];
}
