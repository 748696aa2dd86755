import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import { ImportAllDialog } from './import-all-dialog.tsx';

/** Imports every uploaded file of the list. */
export function ImportAll({ paths }: { readonly paths: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const [isQueued, setQueued] = useState(false);
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        Import all {count(paths.length)} files
      </Button>
      <span role="status">{isQueued && <Link href="/console/imports">See the imports</Link>}</span>
      {isOpen && (
        <ImportAllDialog
          paths={paths}
          onQueued={() => setQueued(true)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
