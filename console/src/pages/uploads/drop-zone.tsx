import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';

interface DropZoneProps {
  onFiles(files: readonly File[]): void;
}

/** Accepts files that are chosen or dropped. */
export function DropZone({ onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [hasFolder, setHasFolder] = useState(false);

  function take(event: ChangeEvent<HTMLInputElement>): void {
    onFiles([...(event.currentTarget.files ?? [])]);
    // Otherwise choosing the same file again would not fire a change event.
    event.currentTarget.value = '';
    setHasFolder(false);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    const { files, folders } = droppedOn(event.dataTransfer);
    setHasFolder(folders > 0);
    onFiles(files);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button is for everyone.
    <div
      className="drop-zone"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input ref={input} type="file" multiple hidden onChange={take} />
      <p>Drop files here, or</p>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <p className="muted">UTF-8 text, comma or tab; plain, gzip or zstd; up to 5 GiB each</p>
      {hasFolder && (
        <p role="alert">Folders cannot be dropped. Open the folder and drop its files.</p>
      )}
    </div>
  );
}

/** A dropped folder looks like an unreadable file. Only its file-system entry shows that it is a folder. */
function droppedOn({ items }: DataTransfer): { files: File[]; folders: number } {
  const dropped = [...items].filter(({ kind }) => kind === 'file');
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory === true;
  const files = dropped.filter((item) => !isFolder(item)).map((item) => item.getAsFile());
  return {
    files: files.filter((file) => file !== null),
    folders: dropped.length - files.length,
  };
}
