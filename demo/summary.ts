import { card, count } from '../src/cli/output/print.ts';
import { adminTokenFile, type Config } from '../src/config/config.ts';
import { customerName } from './people/audiences.ts';

export interface AudienceSummary {
  readonly name: string;
  readonly segmentId: number;
  readonly devices: number;
  readonly matchedDevices: number;
  /** The attribute with the highest index. */
  readonly outstanding: { readonly name: string; readonly index: number } | null;
}

/** The loaded audiences and the credentials to see them. */
export interface Summary {
  readonly email: string;
  readonly password: string;
  /** By the name of the partner. */
  readonly apiKeys: Readonly<Record<string, string>>;
  readonly audiences: readonly AudienceSummary[];
}

export function summaryText(summary: Summary, config: Config): string {
  const console = `${config.publicUrl}/console`;
  const accesses = card({
    [customerName]: `${summary.email}, password ${summary.password}`,
    ...Object.fromEntries(
      Object.entries(summary.apiKeys).map(([name, key]) => [name, `API key ${key}`]),
    ),
    Operator: `admin token in ${adminTokenFile(config.dataDir)}`,
  });
  return [
    `Composition reports of ${customerName}'s audiences:`,
    '',
    ...summary.audiences.flatMap((audience) => [
      `  ${audience.name}: ${figures(audience)}`,
      `    ${console}/segments/${audience.segmentId}`,
    ]),
    '',
    `Sign in at ${console} with one of these:`,
    '',
    ...accesses.split('\n').map((line) => `  ${line}`),
    '',
  ].join('\n');
}

function figures({ devices, matchedDevices, outstanding }: AudienceSummary): string {
  const matched = devices === 0 ? 0 : Math.round((100 * matchedDevices) / devices);
  const first = outstanding
    ? `; highest index: ${outstanding.name}, ${Math.round(outstanding.index)}`
    : '';
  return `${count(devices)} devices, ${matched}% matched${first}`;
}
