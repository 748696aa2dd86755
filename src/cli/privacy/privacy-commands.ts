import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { AddAction, Outcome } from '../commands/add-action.ts';
import { count, table } from '../output/print.ts';
import { watch } from '../watch/watch.ts';
import { readIdentifiers } from './read-identifiers.ts';
import { findingsText, type PrivacyRequest, requestCard, requestRow } from './request-text.ts';

type Kind = PrivacyRequest['kind'];

interface RequestOptions {
  readonly file?: string;
  readonly reference?: string;
  readonly wait?: boolean;
}

interface ListOptions {
  readonly state?: PrivacyRequest['state'];
  readonly reference?: string;
  readonly limit: string;
}

const requestsPath = '/admin/v1/privacy/requests';
const requestPath = `${requestsPath}/{request_id}` as const;
const findingsPath = `${requestPath}/findings` as const;
/** The most that one request may have. */
const identifiersPerRequest = 10_000;

export function addPrivacyCommands(privacy: Command, addAction: AddAction): void {
  privacy.addHelpText(
    'after',
    `
Identifiers are UUIDs in any spelling, or SHA-256 digests of their 32 lower-case digits (Base64 or hexadecimal).
A file has one on each line; - reads standard input. Long lists are sent as several requests.`,
  );
  addRequest('erase [identifiers...]', 'delete', 'delete devices everywhere, and keep them out');
  addRequest('opt-out [identifiers...]', 'opt_out', 'stop using devices: the same as erase');
  addAccess();

  addAction(
    privacy
      .command('requests [id]')
      .description('list requests, newest first, or show one of them')
      .option('--state <state>', 'only received, suppressed, removed or done ones')
      .option('--reference <text>', 'only those with this reference')
      .option('--limit <requests>', 'how many of the latest requests to list', '100'),
    async (client, id: string | undefined, { state, reference, limit }: ListOptions) => {
      if (id !== undefined) return shown(client, [await find(client, id)]);
      const filter = { ...(state && { state }), ...(reference && { reference }) };
      const query = { ...filter, limit: Number(limit) };
      const requests = await answerOf(client.GET(requestsPath, { params: { query } }));
      const text = table(requests.map(requestRow), 'There are no requests.');
      return { answer: requests, text };
    },
  );

  function addRequest(usage: string, kind: Kind, description: string): void {
    addAction(
      requestCommand(usage, description).option(
        '--wait',
        'wait until the bytes are gone from disk',
      ),
      async (client, identifiers: string[], options: RequestOptions) => {
        const requests = await send(client, kind, identifiers, options);
        return shown(client, options.wait ? await followAll(client, requests) : requests);
      },
    );
  }

  function addAccess(): void {
    addAction(
      requestCommand(
        'access [identifiers...]',
        'show which attributes and audiences hold devices',
      ).option('--no-wait', 'do not wait for the answer; `requests <id>` shows it later'),
      async (client, identifiers: string[], options: RequestOptions) => {
        const requests = await send(client, 'access', identifiers, options);
        return shown(client, options.wait ? await followAll(client, requests) : requests);
      },
    );
  }

  function requestCommand(usage: string, description: string): Command {
    return privacy
      .command(usage)
      .description(description)
      .option('--file <file>', 'a file with one identifier on each line, or - for standard input')
      .option('--reference <text>', 'your own name for the request, such as a case number');
  }
}

async function send(
  client: TributaryClient,
  kind: Kind,
  given: readonly string[],
  { file, reference }: RequestOptions,
): Promise<PrivacyRequest[]> {
  const identifiers = [...given, ...(file === undefined ? [] : await readIdentifiers(file))];
  if (identifiers.length === 0) throw new Error('name identifiers, or a file with --file');
  const requests: PrivacyRequest[] = [];
  for (let at = 0; at < identifiers.length; at += identifiersPerRequest) {
    const some = identifiers.slice(at, at + identifiersPerRequest);
    const body = { kind, identifiers: some, ...(reference && { reference }) };
    requests.push(await answerOf(client.POST(requestsPath, { body })));
  }
  return requests;
}

async function find(client: TributaryClient, id: string): Promise<PrivacyRequest> {
  return answerOf(client.GET(requestPath, { params: { path: { request_id: id } } }));
}

async function followAll(
  client: TributaryClient,
  requests: readonly PrivacyRequest[],
): Promise<PrivacyRequest[]> {
  const ended: PrivacyRequest[] = [];
  for (const { request_id } of requests) {
    ended.push(
      await watch(process.stderr, async (show) => {
        const request = await find(client, String(request_id));
        if (request.state === 'done') return request;
        show(`request ${request_id}: ${request.state}`);
        return undefined;
      }),
    );
  }
  return ended;
}

/** With the answers of access requests. */
async function shown(
  client: TributaryClient,
  requests: readonly PrivacyRequest[],
): Promise<Outcome> {
  const answers = [];
  const texts = [];
  for (const request of requests) {
    const isAnswered = request.kind === 'access' && request.state === 'done';
    const params = { path: { request_id: String(request.request_id) } };
    const findings = isAnswered ? await answerOf(client.GET(findingsPath, { params })) : undefined;
    answers.push({ ...request, ...(findings && { findings }) });
    texts.push(requestCard(request), ...(findings ? [findingsText(findings)] : []));
  }
  const ids = requests.map(({ request_id }) => request_id);
  if (requests.length > 1) texts.push(`${count(ids.length)} requests: ${ids[0]} to ${ids.at(-1)}`);
  return { answer: answers.length === 1 ? answers[0] : answers, text: texts.join('\n\n') };
}
