import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  readonly headers: string;
  readonly text: string;
}

/** A mail server that keeps what it receives. */
export interface SmtpServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Every line that a client sent. */
  readonly lines: readonly string[];
}

export async function startSmtpServer({ isSilent = false } = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    if (isSilent) return;
    // Rejects if the client resets the connection.
    converse(socket, lines, (mail) => mails.push(mail)).catch(() => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    lines,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function converse(
  socket: Socket,
  lines: string[],
  keep: (mail: ReceivedMail) => void,
): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let from = '';
  let to = '';
  let data: string[] | undefined;
  say('220 test ESMTP');
  for await (const line of createInterface({ input: socket })) {
    lines.push(line);
    if (data) {
      if (line !== '.') {
        data.push(line.replace(/^\.\./, '.'));
        continue;
      }
      keep({ from, to, ...parsed(data) });
      data = undefined;
      say('250 kept');
      continue;
    }
    const [, path = ''] = /<(.*)>/.exec(line) ?? [];
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        socket.write('250-test\r\n250 AUTH PLAIN\r\n');
        break;
      case 'AUTH':
        say('235 welcome');
        break;
      case 'MAIL':
        from = path;
        say('250 yes');
        break;
      case 'RCPT':
        to = path;
        say(path.startsWith('refused@') ? '550 no such mailbox' : '250 yes');
        break;
      case 'DATA':
        data = [];
        say('354 go on');
        break;
      case 'QUIT':
        say('221 bye');
        socket.end();
        break;
      default:
        say('250 yes');
    }
  }
}

function parsed(data: readonly string[]): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = data.indexOf('');
  const headers = data.slice(0, end).join('\n');
  const body = data.slice(end + 1).join('\n');
  const isQuoted = /^content-transfer-encoding: quoted-printable$/im.test(headers);
  return { headers, text: isQuoted ? unquoted(body) : body };
}

function unquoted(body: string): string {
  const bytes = body
    .replaceAll('=\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
