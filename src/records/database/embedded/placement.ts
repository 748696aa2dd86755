import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { markStagedHome, removeAbandonedHomes } from './staged-homes.ts';

/** The user a process runs as. Null: the current user. */
type ServerUser = { readonly uid: number; readonly gid: number } | null;

/** Where the server's programs and data are; its user can access both. */
export interface Placement {
  readonly user: ServerUser;
  /** The folder of initdb, postgres and their libraries. */
  readonly programs: string;
  /** A folder that only the server's user can access. */
  readonly home: string;
}

/** Accessible to every user, unlike a checkout or data dir below a private folder. */
const stagingRoot = '/var/lib/tributary';

/**
 * PostgreSQL refuses to run as root. Under root the server gets its own user, and folders that this
 * user cannot access are staged elsewhere. For an ordinary user everything stays in place.
 */
export async function placeServer(home: string, packagedPrograms: string): Promise<Placement> {
  if (process.getuid?.() !== 0) {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return { user: null, programs: packagedPrograms, home };
  }
  const user = (await ownerOf(home)) ?? (await serverUser());
  const placement = {
    user,
    programs: await reachablePrograms(packagedPrograms, user),
    home: await reachableHome(home, user),
  };
  // It only frees space, so a failure does not stop the start.
  await removeAbandonedHomes(stagingRoot).catch(() => {});
  return placement;
}

/** The owner of an existing home, perhaps an ordinary user whose service root now runs. */
async function ownerOf(home: string): Promise<ServerUser> {
  const folder = await lstat(home).catch(() => null);
  return folder?.isDirectory() && folder.uid !== 0 ? { uid: folder.uid, gid: folder.gid } : null;
}

async function serverUser(): Promise<NonNullable<ServerUser>> {
  const existing = await userNamed('postgres');
  if (existing) return existing;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  return (
    (await userNamed('postgres')) ?? (await userNamed('nobody')) ?? { uid: 65_534, gid: 65_534 }
  );
}

async function userNamed(name: string): Promise<NonNullable<ServerUser> | undefined> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const entry = passwd.split('\n').find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = entry?.split(':') ?? [];
  return entry ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

async function reachablePrograms(packaged: string, user: NonNullable<ServerUser>): Promise<string> {
  if (await canReach(join(packaged, 'bin', 'postgres'), user)) return packaged;
  const { version } = JSON.parse(await readFile(join(dirname(packaged), 'package.json'), 'utf8'));
  const staged = join(stagingRoot, `postgres-${version}-${process.arch}`);
  if (await canReach(join(staged, 'bin', 'postgres'), user)) return staged;
  await makeStagingRoot();
  // Copied to a temporary name and renamed, so that an interrupted copy is never used.
  const unfinished = `${staged}.${randomBytes(4).toString('hex')}`;
  await cp(packaged, unfinished, { recursive: true, verbatimSymlinks: true });
  await chmod(unfinished, 0o755);
  await rename(unfinished, staged).catch(async (error) => {
    await rm(unfinished, { recursive: true });
    if (!(await canReach(join(staged, 'bin', 'postgres'), user))) throw error;
  });
  return staged;
}

/** The folder itself if the user can access it, else a link to a staged folder. */
async function reachableHome(home: string, user: NonNullable<ServerUser>): Promise<string> {
  const existing = await lstat(home).catch(() => null);
  if (existing?.isSymbolicLink()) {
    const staged = await readlink(home);
    if (dirname(staged) === stagingRoot) await markStagedHome(staged, home);
    return home;
  }
  if (existing === null && !(await canReach(dirname(home), user))) {
    await makeStagingRoot();
    const staged = join(stagingRoot, `data-${randomBytes(8).toString('hex')}`);
    await makeOwned(staged, user);
    await markStagedHome(staged, home);
    await symlink(staged, home);
    return home;
  }
  await makeOwned(home, user);
  if (!(await canReach(home, user))) {
    throw new Error(
      `the user ${user.uid}, which PostgreSQL runs as, cannot access ${home}: make its parent folders searchable (chmod o+x)`,
    );
  }
  return home;
}

async function makeStagingRoot(): Promise<void> {
  await mkdir(stagingRoot, { recursive: true });
  await chmod(stagingRoot, 0o755);
}

async function makeOwned(folder: string, user: NonNullable<ServerUser>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, user.uid, user.gid);
}

/** Tests it as that user, because mode bits alone do not decide it. Throws if the check itself fails. */
async function canReach(path: string, user: NonNullable<ServerUser>): Promise<boolean> {
  // Detached, so that Ctrl-C in the terminal does not end it.
  const options = { ...user, cwd: '/', stdio: 'ignore', detached: true } as const;
  const [status, signal] = await once(spawn('test', ['-x', path], options), 'exit');
  if (status === 0 || status === 1) return status === 0;
  throw new Error(
    `the check whether the user ${user.uid} can access ${path} ended with ${signal ?? `status ${status}`}: try again`,
  );
}
