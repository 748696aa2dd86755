import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout, until } from '../../acceptance/service.ts';
import { freePort } from '../../support/free-port.ts';

interface Site {
  readonly folder: string;
  readonly cert: string;
  readonly key: string;
  /** The ports of the service. */
  readonly port: number;
  readonly s3Port: number;
}

export interface Nginx extends AsyncDisposable {
  readonly url: string;
  readonly s3Url: string;
  /** Its warnings and errors so far. */
  readonly logged: () => string;
}

/** Debian's nginx with deploy/nginx.conf, and names, ports and a certificate that exist here. */
export async function startNginx(site: Site): Promise<Nginx> {
  const { folder } = site;
  const [plain, secure] = [await freePort(), await freePort()];
  const text = await readFile(join(checkout, 'deploy/nginx.conf'), 'utf8');
  const adapted = text
    .replace(/(?<=ssl_certificate )\S+(?=;)/, site.cert)
    .replace(/(?<=ssl_certificate_key )\S+(?=;)/, site.key)
    .replace(/^ *listen \[::\].*$/gm, '')
    .replace('listen 80', `listen 127.0.0.1:${plain}`)
    .replace('listen 443', `listen 127.0.0.1:${secure}`)
    .replace('server 127.0.0.1:8080', `server 127.0.0.1:${site.port}`)
    .replace('server 127.0.0.1:9000', `server 127.0.0.1:${site.s3Port}`)
    .replaceAll('tributary.example.com', '127.0.0.1')
    .replaceAll('s3.example.com', 'localhost');
  await writeFile(join(folder, 'site.conf'), adapted);
  const main = join(folder, 'nginx.conf');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = folders.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  await writeFile(
    main,
    `pid ${folder}/nginx.pid; error_log stderr warn; daemon off; events {}
    http { access_log off; ${temporary} include ${folder}/site.conf; }`,
  );
  const nginx = spawn('/usr/sbin/nginx', ['-c', main, '-p', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let logged = '';
  nginx.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    logged += chunk;
  });
  const exited = once(nginx, 'exit');
  await until('nginx to redirect to https', async () => {
    if (nginx.exitCode !== null) throw new Error(`nginx exited: ${logged}`);
    const options = { redirect: 'manual' } as const;
    const answer = await fetch(`http://127.0.0.1:${plain}/x`, options).catch(() => undefined);
    return answer?.headers.get('location') === 'https://127.0.0.1/x';
  });
  return {
    url: `https://127.0.0.1:${secure}`,
    s3Url: `https://localhost:${secure}`,
    logged: () => logged,
    async [Symbol.asyncDispose]() {
      nginx.kill();
      await exited;
    },
  };
}
