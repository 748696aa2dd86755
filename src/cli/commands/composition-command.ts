import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Composition, compositionText } from '../output/composition-text.ts';
import type { AddAction } from './add-action.ts';

export function addCompositionCommand(audience: Command, addAction: AddAction): void {
  addAction(
    audience
      .command('composition <audience_id>')
      .description("compare an audience's attributes with the universe")
      .option('--csv', 'print CSV, in full precision'),
    async (client, id: string, { csv }: { readonly csv?: boolean }) => {
      const params = { path: { audience_id: id } };
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
