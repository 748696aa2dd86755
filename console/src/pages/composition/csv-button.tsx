import { Button } from '../../parts/button.tsx';
import { type Composition, readAttributes } from './attribute.ts';
import { csvFileName } from './csv-file-name.ts';
import { reportCsv } from './report-csv.ts';
import type { View } from './view.ts';

/** Downloads the rows of the view in a file named after the audience and the day. */
export function CsvButton({
  audienceName,
  composition,
  view,
}: {
  audienceName: string;
  composition: Composition;
  view: View;
}) {
  return (
    <Button
      kind="primary"
      onClick={() =>
        save(reportCsv(readAttributes(composition), view), csvFileName(audienceName, new Date()))
      }
    >
      Download CSV
    </Button>
  );
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
