import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from './service.ts';

export const nextVersion = '99.0.0';

/** A copy of the code that is a later version, with one more migration. Returns its folder. */
export async function makeNextVersion(parent: string): Promise<string> {
  const code = join(parent, 'next-version');
  await mkdir(code);
  await cp(join(checkout, 'src'), join(code, 'src'), { recursive: true });
  for (const name of ['console', 'node_modules']) {
    await symlink(join(checkout, name), join(code, name));
  }
  const described = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const later = { ...described, version: nextVersion };
  await writeFile(join(code, 'package.json'), JSON.stringify(later));
  await writeFile(
    join(code, 'src/records/database/migrations/9999-next-version.sql'),
    "alter table job add column next_version text not null default 'yes';",
  );
  return code;
}
