import { type Limit, limitSubjects, limits } from '../domain/limits.ts';
import { markdownTable } from './markdown-table.ts';

const introduction = `# Limits

Every limit of the service, and what happens beyond it. Where a [setting](settings.md) changes a limit, the number is the setting's default.
Codes in the API are described in its reference at \`/docs\`, codes of files in [file formats](file-formats.md#problems).
`;

const heading = ['What', 'Limit', 'Setting', 'Beyond it'];

/** docs/limits.md. `npx vitest run src/config/limits-document.test.ts -u` writes it. */
export function limitsDocument(): string {
  const all: Limit[] = Object.values(limits);
  const sections = limitSubjects.map((subject) => {
    const rows = all.filter((limit) => limit.subject === subject).map(rowOf);
    return `## ${subject}\n\n${markdownTable(heading, rows)}\n`;
  });
  return [introduction, ...sections].join('\n');
}

function rowOf(limit: Limit): string[] {
  const setting = limit.setting === undefined ? '' : `\`${limit.setting}\``;
  return [limit.what, amountOf(limit), setting, limit.beyond];
}

function amountOf({ most, unit }: Limit): string {
  if (most === null) return 'none';
  switch (unit) {
    case 'count':
      return grouped(most);
    case 'bytes':
      return bytes(most);
    case 'share':
      return `${most * 100}%`;
    default:
      return `${grouped(most)} ${unit}`;
  }
}

function bytes(count: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let power = 0;
  while (count >= 1024 ** (power + 1) && count % 1024 ** (power + 1) === 0) power++;
  return `${grouped(count / 1024 ** power)} ${units[power]}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
