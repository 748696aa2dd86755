import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { paths } from '../../client/openapi.ts';
import type { AddAction } from '../commands/add-action.ts';
import { card, count, duration } from '../output/print.ts';
import { bar } from '../output/progress-bar.ts';
import { createStatusLine } from '../output/status-line.ts';

const path = '/admin/v1/warehouse';

type Warehouse = paths[typeof path]['get']['responses'][200]['content']['application/json'];
type Copy = NonNullable<Warehouse['copy']>;

interface CopyOptions {
  readonly to?: string;
  readonly abort?: true;
  readonly forget?: true;
  readonly force?: boolean;
  readonly wait: boolean;
}

const pollMs = 1_000;

export function addWarehouseCommands(warehouse: Command, addAction: AddAction): void {
  addAction(
    warehouse.command('show').description('show where the device sets are, and the latest copy'),
    async (client) => {
      const answer = await answerOf(client.GET(path));
      return { answer, text: textOf(answer) };
    },
  );

  addAction(
    warehouse
      .command('copy')
      .description(
        'copy the device sets to another place while the service runs, and use them there',
      )
      .option(
        '--to <place>',
        'the new place: a value of TRIBUTARY_WAREHOUSE, or "files" for run files',
      )
      .option('--abort', 'stop a copy and delete what it has written')
      .option('--forget', 'delete the old place after a copy')
      .option(
        '--force',
        'with --abort or --forget: delete nothing, because the place no longer exists',
      )
      .option('--no-wait', 'return at once; the worker continues'),
    async (client, options: CopyOptions) => {
      const body = bodyOf(options);
      const asked = await answerOf(client.POST(path, { body }));
      const answer = options.wait ? await follow(client) : asked;
      return { answer, text: options.wait ? outcomeOf(answer, options) : textOf(answer) };
    },
  );
}

function bodyOf({ to, abort, forget, force = false }: CopyOptions) {
  const actions = [
    ...(to === undefined ? [] : [{ action: 'copy', to } as const]),
    ...(abort ? [{ action: 'abort', force } as const] : []),
    ...(forget ? [{ action: 'forget', force } as const] : []),
  ];
  const [action, other] = actions;
  if (!action || other) throw new Error('give exactly one of --to <place>, --abort or --forget');
  return action;
}

/** Waits until the copy has ended. If the command is interrupted, the worker continues. */
async function follow(client: TributaryClient): Promise<Warehouse> {
  const line = createStatusLine(process.stderr, 10_000);
  const estimate = createEstimate();
  try {
    for (;;) {
      const answer = await answerOf(client.GET(path));
      const { copy } = answer;
      if (!copy?.state.endsWith('ing')) return answer;
      line.show(progressOf(copy, estimate(copy)));
      await sleep(pollMs);
    }
  } finally {
    line.end();
  }
}

/** Estimates the seconds left from the progress since the command began. Null if unknown. */
function createEstimate(): (copy: Copy) => number | null {
  let first: { devices: number; at: number } | undefined;
  return ({ devices_copied: devices, devices_total: total }) => {
    const at = performance.now();
    first ??= { devices, at };
    const rate = (devices - first.devices) / (at - first.at);
    return rate > 0 ? (total - devices) / rate / 1_000 : null;
  };
}

function progressOf(copy: Copy, left: number | null): string {
  if (copy.problem !== null) return `waiting: ${copy.problem}`;
  if (copy.state !== 'copying') return copy.state;
  const { devices_copied: done, devices_total: total } = copy;
  const rest = left === null ? '' : `, ${duration(left)} left`;
  return `${bar(done, total)}  ${count(done)} of ${count(total)} devices${rest}`;
}

function outcomeOf(answer: Warehouse, { force }: CopyOptions): string {
  const { copy, place, old_place } = answer;
  switch (copy?.state) {
    case 'done':
      return [
        `The device sets are in ${place}: ${count(copy.devices_copied)} devices. ${count(copy.compared_segments ?? 0)} random segments were read from both places and are equal.`,
        'All processes use the new place. Change TRIBUTARY_WAREHOUSE in their settings to match, or remove it for run files.',
        `The old place, ${old_place}, still has the device sets as they were at the switch. Delete it with: tributary warehouse copy --forget`,
      ].join('\n');
    case 'aborted':
      return `The copy was aborted. The device sets are in ${place}.`;
    case 'forgotten':
      return `The old place is ${force ? 'forgotten, but nothing in it was deleted' : 'deleted'}. The device sets are in ${place}.`;
    default:
      return textOf(answer);
  }
}

function textOf({ place, old_place, copy }: Warehouse): string {
  return card({
    place,
    'old place': old_place,
    ...(copy && {
      'latest copy': `${copy.state}, to ${copy.to}`,
      copied: `${count(copy.devices_copied)} of ${count(copy.devices_total)} devices`,
      problem: copy.problem,
    }),
  });
}
