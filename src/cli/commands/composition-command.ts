import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import {
  asPartnerOrCustomer,
  type ConnectPartner,
  type PartnerOptions,
} from '../connect/partner-connection.ts';
import { type Composition, compositionText } from '../output/composition-text.ts';
import { type OutputOptions, print } from '../output/print.ts';

interface CompositionOptions extends OutputOptions, PartnerOptions {
  readonly csv?: boolean;
}

export function addCompositionCommand(audience: Command, connect: ConnectPartner): void {
  asPartnerOrCustomer(audience.command('composition <audience_id>'))
    .description('what an audience is composed of, beside the universe')
    .option('--csv', 'print CSV, in full precision')
    .option('--json', 'print JSON, in full precision')
    .action(async (id: string, options: CompositionOptions) => {
      const client = connect(options);
      const params = { path: { audience_id: id } };
      const path = '/v2/firstparty/audience/{audience_id}/composition';
      if (options.csv) {
        const headers = { accept: 'text/csv' };
        const csv = await answerOf(client.GET(path, { params, headers, parseAs: 'text' }));
        process.stdout.write(csv);
        return;
      }
      // As JSON, since nothing else was asked for.
      const report = (await answerOf(client.GET(path, { params }))) as Composition;
      print(report, compositionText(report), options);
    });
}
