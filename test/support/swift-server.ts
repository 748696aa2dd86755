import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { messageOf } from '../../src/domain/errors.ts';
import { createS3Client, type S3Options } from '../../src/objects/s3/s3-client.ts';
import { freePort } from './free-port.ts';
import type { StoreKeys } from './provided.ts';

export interface Swift extends AsyncDisposable {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
  /** More key pairs, one per partner, for the same buckets. */
  readonly partners: readonly StoreKeys[];
  /** Adds empty objects to the list of the bucket only, because uploading 2,000 takes a minute. */
  enterInList(keys: readonly string[]): Promise<void>;
}

/** More than any service in the tests needs. */
const partnerUsers = Array.from({ length: 500 }, (_, id) => `partner${id}`);
const program = join(import.meta.dirname, 'swift-servers.py');
/** Debian's Python has Swift's modules; another one may come first on the PATH. */
const python = '/usr/bin/python3';
const storageServers = ['account', 'container', 'object'];
const readyWithinMs = 120_000;

/** Where a running Swift is. */
export interface SwiftPlace {
  readonly folder: string;
  readonly port: number;
}

/** OpenStack Swift with its S3 interface from the Debian package: an independent store. */
export async function startSwift(): Promise<Swift & { readonly place: SwiftPlace }> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-swift-'));
  const place = { folder, port: await freePort() };
  const storagePorts = await Promise.all(storageServers.map(freePort));
  let servers: ChildProcess | undefined;
  async function dispose() {
    if (servers) await end(servers);
    await rm(folder, { recursive: true });
  }
  try {
    await mkdir(join(folder, 'disks', 'disk'), { recursive: true });
    const confs = storageServers.map((name, i) => [
      name,
      storageSettings(folder, name, storagePorts[i]!),
    ]);
    for (const [name, conf] of [...confs, ['proxy', s3Settings(folder, place.port)]]) {
      await writeFile(join(folder, `${name}.conf`), conf!);
    }
    servers = await startServers(folder, storagePorts);
    for (const listened of [place.port, ...storagePorts]) await untilListening(listened, servers);
    return { ...(await bucketOf(place)), place, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '');
    await dispose();
    throw new Error(`Swift did not start: ${messageOf(error)}\n${log.slice(-4000)}`);
  }
}

/** A new bucket in a Swift that runs already, and goes on running when this is disposed. */
export async function bucketOf({ folder, port }: SwiftPlace): Promise<Swift> {
  const bucket = `tributary-${randomBytes(6).toString('hex')}`;
  const swift = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    bucket,
    partners: partnerUsers.map((user) => ({
      accessKeyId: `test:${user}`,
      secretAccessKey: `secret-of-${user}`,
    })),
    enterInList: (keys: readonly string[]) => enterInList(folder, bucket, keys),
    async [Symbol.asyncDispose]() {},
  };
  await createBucket(swift);
  return swift;
}

/** The settings for the `s3` store. */
export function swiftOptions(swift: Swift): S3Options {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = swift;
  return {
    endpoint,
    region,
    bucket,
    credentials: { accessKeyId, secretAccessKey },
    pathStyle: true,
    checksums: 'when_required',
  };
}

/** Does what the object servers do after each upload. */
async function enterInList(folder: string, bucket: string, keys: readonly string[]): Promise<void> {
  await runPython(
    folder,
    { bucket, keys },
    `
import glob, hashlib, json, sys
from swift.common.utils import Timestamp
from swift.container.backend import ContainerBroker
wanted = json.load(sys.stdin)
entry = dict(created_at=Timestamp.now().internal, size=0, content_type='binary/octet-stream',
             etag=hashlib.md5().hexdigest(), deleted=0, storage_policy_index=0)
for path in glob.glob('disks/disk/containers/*/*/*/*.db'):
    broker = ContainerBroker(path)
    if broker.get_info()['container'] == wanted['bucket']:
        broker.merge_items([dict(entry, name=key) for key in wanted['keys']])
`,
  );
}

async function runPython(folder: string, input: unknown, program: string): Promise<void> {
  const running = promisify(execFile)(python, ['-c', program], { cwd: folder });
  running.child.stdin?.end(JSON.stringify(input));
  await running;
}

/**
 * With long timeouts. By default, an object whose listing takes more than a second is left to a
 * server that does not run here, and is never listed.
 */
function commonSettings(folder: string, port: number): string {
  return `
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
log_level = ERROR
conn_timeout = 20
node_timeout = 60
container_update_timeout = 60
`;
}

function storageSettings(folder: string, name: string, port: number): string {
  return `${commonSettings(folder, port)}
devices = ${join(folder, 'disks')}
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
}

/** The authentication requires a cache setting, but works if the cache is unavailable. */
function s3Settings(folder: string, port: number): string {
  return `${commonSettings(folder, port)}
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
# So that tests can upload small files in parts.
min_segment_size = 1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
${partnerUsers.map((user) => `user_test_${user} = secret-of-${user} .admin`).join('\n')}
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
`;
}

async function startServers(
  folder: string,
  storagePorts: readonly number[],
): Promise<ChildProcess> {
  await using log = await open(join(folder, 'log'), 'a');
  const ports = Object.fromEntries(storageServers.map((name, i) => [name, storagePorts[i]]));
  // The servers leave our session, so without setpriv they would survive a killed test run.
  const command = ['--pdeathsig', 'KILL', python, program, JSON.stringify(ports)];
  return spawn('setpriv', command, { cwd: folder, stdio: ['ignore', log.fd, log.fd] });
}

async function untilListening(port: number, servers: ChildProcess): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (hasEnded(servers) || Date.now() > deadline) throw error;
      await sleep(50);
    } finally {
      socket.destroy();
    }
  }
}

async function createBucket(swift: Swift): Promise<void> {
  const client = createS3Client(swiftOptions(swift));
  await client.send(new CreateBucketCommand({ Bucket: swift.bucket }));
  client.destroy();
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function end(servers: ChildProcess): Promise<void> {
  if (hasEnded(servers)) return;
  servers.kill('SIGTERM');
  await once(servers, 'exit');
}
