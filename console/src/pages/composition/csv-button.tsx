import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { csvFileName } from './csv-file-name.ts';
import { loadCsv, type ReportAudience } from './report.ts';

/** Downloads the figures in a file named after the audience. */
export function CsvButton({ audience, baseline }: { audience: ReportAudience; baseline: string }) {
  const api = useApi();
  const download = useAction(async () => {
    save(await loadCsv(api, audience.audience_id, baseline), csvFileName(audience.name));
  });
  return (
    <>
      <Button kind="primary" disabled={download.isRunning} onClick={() => void download.run()}>
        Download CSV
      </Button>
      <ProblemNote problem={download.problem} />
    </>
  );
}

function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
