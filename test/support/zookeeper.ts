import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const readyWithinMs = 60_000;
/** Sessions may be as short as a second, so that a killed server is soon forgotten. */
const tickMs = 500;

export interface Zookeeper extends AsyncDisposable {
  readonly port: number;
}

/** Debian's ZooKeeper with little memory, for the replicas of a test's cluster. */
export async function startZookeeper(folder: string): Promise<Zookeeper> {
  const port = await freePort();
  await mkdir(join(folder, 'data'), { recursive: true });
  const config = [
    `tickTime=${tickMs}`,
    `dataDir=${folder}/data`,
    'clientPortAddress=127.0.0.1',
    `clientPort=${port}`,
    'maxClientCnxns=0',
    'admin.enableServer=false',
    '4lw.commands.whitelist=srvr',
    'forceSync=no',
  ];
  await writeFile(join(folder, 'zoo.cfg'), config.join('\n'));
  const java = [
    ...['java', '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'],
    ...['-cp', '/usr/share/java/zookeeper.jar'],
    ...['org.apache.zookeeper.server.quorum.QuorumPeerMain', join(folder, 'zoo.cfg')],
  ];
  // It is killed together with this process, however that ends.
  const process = spawn('setpriv', ['--pdeathsig', 'KILL', ...java], { stdio: 'ignore' });
  const stop = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  try {
    await waitUntilServing(port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, [Symbol.asyncDispose]: stop };
}

/** The port is open before the server answers. */
async function waitUntilServing(port: number): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (!(await isServing(port))) {
    if (Date.now() > deadline) throw new Error('ZooKeeper did not start');
    await sleep(50);
  }
}

async function isServing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  // A server that has just opened its port may never answer a connection.
  socket.setTimeout(1_000, () => socket.destroy(new Error('ZooKeeper is silent')));
  try {
    socket.write('srvr');
    return String(Buffer.concat(await socket.toArray())).includes('Mode: ');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
