import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machineHas } from '../../support/requirements.ts';
import { checkout, startService, temporaryFolder } from '../service.ts';
import { runTool } from './storage-client.ts';

test.runIf(machineHas('aws'))('the commands printed by the first start upload a file', async () => {
  await using folder = await temporaryFolder();
  await using service = await startService({
    dataDir: join(folder.path, 'data'),
    firstStart: true,
  });
  const credentials = /^ {2}(export AWS_.*)$/m.exec(service.printed())?.[1];
  const upload = /^ {2}(aws s3 cp .*)$/m.exec(service.printed())?.[1];
  const example = join(checkout, 'examples/devices.csv');
  const shell = (command: string) =>
    runTool(folder.path, 'env', ['sh', '-euc', `${credentials}\n${command}`]);

  await shell(upload?.replace('<file>', example) ?? 'false');

  const download = upload?.replace(/<file> (\S+)/, '$1devices.csv -') ?? 'false';
  expect(await shell(download)).toEqual(await readFile(example));
});
