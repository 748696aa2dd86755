import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Composition, compositionText } from '../output/composition-text.ts';
import type { AddAction } from './add-action.ts';

interface CompositionOptions {
  readonly csv?: boolean;
  readonly baseline: string;
}

export function addCompositionCommand(audience: Command, addAction: AddAction): void {
  addAction(
    audience
      .command('composition <audience_id>')
      .description("compare an audience's attributes with the universe or another baseline")
      .option('--csv', 'print CSV, in full precision')
      .option(
        '--baseline <baseline>',
        'universe, partner:<id> (devices known to a supplier) or audience:<id>',
        'universe',
      ),
    async (client, id: string, { csv, baseline }: CompositionOptions) => {
      const params = { path: { audience_id: id }, query: { baseline } };
      const path = '/v2/firstparty/audience/{audience_id}/composition';
      if (csv) {
        const headers = { accept: 'text/csv' };
        process.stdout.write(
          await answerOf(client.GET(path, { params, headers, parseAs: 'text' })),
        );
        return undefined;
      }
      // JSON is the default of this operation.
      const report = (await answerOf(client.GET(path, { params }))) as Composition;
      return { answer: report, text: compositionText(report) };
    },
  );
}
