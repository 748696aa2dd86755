import './files.css';
import { useEffect, useRef } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { Answered } from '../../api/wire.ts';
import { Button } from '../../parts/button.tsx';
import { bytes } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { ListPages, usePages } from '../../parts/list-pages.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { nameOf, stepsTo } from './folders.ts';

const pageSize = 50;

type Listing = Answered<'/v1/console/objects'>;

interface FileBrowserProps {
  /** The folder in view, and how it changes. */
  readonly folder: string;
  onFolder(folder: string): void;
  /** A file, or a folder with its slash. */
  onChoose(path: string): void;
}

/** The uploaded files of the partner, one folder at a time. Every entry is a button. */
export function FileBrowser({ folder, onFolder, onChoose }: FileBrowserProps) {
  const api = useApi();
  const pages = usePages<string>(folder);
  const { data, problem } = useAnswer(async () => {
    const query = { prefix: folder, limit: pageSize, ...(pages.after && { after: pages.after }) };
    const listing = await answerOf(api.GET('/v1/console/objects', { params: { query } }));
    return { folder, listing };
  }, [api, folder, pages.after]);
  const list = useFocusAfterChange(data);

  return (
    <section className="file-browser" aria-label="Your files">
      <ProblemNote problem={problem} />
      {data && (
        <>
          <div className="file-steps">
            {stepsTo(data.folder).map((step) => (
              <Step key={step} step={step} isLast={step === data.folder} onFolder={onFolder} />
            ))}
            {data.folder !== '' && (
              <Button onClick={() => onChoose(data.folder)}>
                Use this folder <span className="visually-hidden">{data.folder}</span>
              </Button>
            )}
          </div>
          <section
            ref={list}
            className="file-list"
            tabIndex={-1}
            aria-label={data.folder === '' ? 'All your files' : `Files in ${data.folder}`}
          >
            <Entries listing={data.listing} onFolder={onFolder} onChoose={onChoose} />
          </section>
          <ListPages pages={pages} next={data.listing.next ?? undefined} />
        </>
      )}
    </section>
  );
}

/** The entry that had the focus is gone when another folder or page is shown. */
function useFocusAfterChange(data: unknown) {
  const list = useRef<HTMLDivElement>(null);
  const shown = useRef(data);
  useEffect(() => {
    if (shown.current !== undefined && shown.current !== data) list.current?.focus();
    shown.current = data;
  }, [data]);
  return list;
}

interface StepProps extends Pick<FileBrowserProps, 'onFolder'> {
  readonly step: string;
  readonly isLast: boolean;
}

function Step({ step, isLast, onFolder }: StepProps) {
  const name = step === '' ? 'Your files' : nameOf(step);
  if (isLast) {
    return (
      <strong>
        <bdi>{name}</bdi>
      </strong>
    );
  }
  return (
    <button type="button" className="file-step" onClick={() => onFolder(step)}>
      <bdi>{name}</bdi>
    </button>
  );
}

interface EntriesProps extends Pick<FileBrowserProps, 'onFolder' | 'onChoose'> {
  readonly listing: Listing;
}

function Entries({ listing: { folders, files }, onFolder, onChoose }: EntriesProps) {
  if (folders.length + files.length === 0) return <p className="muted">No files here yet.</p>;
  return (
    <ul className="file-entries">
      {folders.map((path) => (
        <li key={path}>
          <button type="button" className="file-entry" onClick={() => onFolder(path)}>
            <Icon name="folder" />
            <bdi>{nameOf(path)}</bdi>
          </button>
        </li>
      ))}
      {files.map(({ path, size, modified_at }) => (
        <li key={path}>
          <button type="button" className="file-entry" onClick={() => onChoose(path)}>
            <Icon name="file" />
            <bdi>{nameOf(path)}</bdi>
            <span className="muted">
              {bytes(size)} · <Moment at={modified_at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
