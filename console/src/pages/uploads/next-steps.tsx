import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { AppendDialog } from '../audiences/append-dialog.tsx';
import { NewAudienceDialog } from '../audiences/new-audience-dialog.tsx';
import { NewImportDialog } from '../imports/new-import-dialog.tsx';

/**
 * What can be made of files that are uploaded. It leads to what was made by a link and not by
 * itself, for other files may still be on their way.
 */
export function NextSteps({ path }: { readonly path: string }) {
  const [asked, setAsked] = useState<'import' | 'create' | 'append'>();
  const [made, setMade] = useState<{ readonly address: string; readonly words: string }>();
  const close = () => setAsked(undefined);
  const told = (words: string) => (address: string) => setMade({ address, words });
  return (
    <>
      <Button onClick={() => setAsked('import')}>
        Import <span className="visually-hidden">{path}</span>
      </Button>
      <Button onClick={() => setAsked('create')}>
        Make an audience <span className="visually-hidden">of {path}</span>
      </Button>
      <Button onClick={() => setAsked('append')}>
        Append to… <span className="visually-hidden">an audience {path}</span>
      </Button>
      <span role="status">{made && <Link href={made.address}>{made.words}</Link>}</span>
      {asked === 'import' && (
        <NewImportDialog path={path} onQueued={told('See the import')} onClose={close} />
      )}
      {asked === 'create' && (
        <NewAudienceDialog path={path} onCreated={told('See the new audience')} onClose={close} />
      )}
      {asked === 'append' && (
        <AppendDialog path={path} onAppended={told('See the audience')} onClose={close} />
      )}
    </>
  );
}
