import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { AppendDialog } from '../audiences/append-dialog.tsx';
import { NewAudienceDialog } from '../audiences/new-audience-dialog.tsx';
import { NewImportDialog } from '../imports/new-import-dialog.tsx';

/**
 * What to do with uploaded files. The result is shown as a link instead of navigating to it, because
 * other uploads may still be running.
 */
export function NextSteps({ path }: { readonly path: string }) {
  const [open, setOpen] = useState<'import' | 'create' | 'append'>();
  const [result, setResult] = useState<{ readonly address: string; readonly words: string }>();
  const close = () => setOpen(undefined);
  const linkTo = (words: string) => (address: string) => setResult({ address, words });
  return (
    <>
      <Button onClick={() => setOpen('import')}>
        Import <span className="visually-hidden">{path}</span>
      </Button>
      <Button onClick={() => setOpen('create')}>
        Create an audience <span className="visually-hidden">from {path}</span>
      </Button>
      <Button onClick={() => setOpen('append')}>
        Append to an audience <span className="visually-hidden">from {path}</span>
      </Button>
      <span role="status">{result && <Link href={result.address}>{result.words}</Link>}</span>
      {open === 'import' && (
        <NewImportDialog
          initial={{ file_path: path }}
          onQueued={linkTo('See the import')}
          onClose={close}
        />
      )}
      {open === 'create' && (
        <NewAudienceDialog path={path} onCreated={linkTo('See the new audience')} onClose={close} />
      )}
      {open === 'append' && (
        <AppendDialog path={path} onAppended={linkTo('See the audience')} onClose={close} />
      )}
    </>
  );
}
