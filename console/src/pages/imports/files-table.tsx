import { type Column, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { FirstItems } from './first-items.tsx';
import { stateOf } from './status.ts';

interface LoadedFile {
  readonly s3_path: string;
  readonly status: number;
  readonly updated_at: string;
}

interface FilesTableProps<T> {
  readonly files: readonly T[];
  /** The columns between the state and the time. */
  readonly columns: readonly Column<NoInfer<T>>[];
}

/** The files of an import or of an audience. */
export function FilesTable<T extends LoadedFile>({ files, columns }: FilesTableProps<T>) {
  return (
    <FirstItems all={files} limit={200}>
      {(shown) => (
        <DataTable
          label="Table of files"
          className="card-rows files"
          rows={shown}
          keyOf={({ s3_path }) => s3_path}
          columns={[
            {
              label: 'File',
              className: 'wide',
              cell: ({ s3_path }) => <bdi className="path">{s3_path}</bdi>,
            },
            { label: 'State', cell: (file) => <StateBadge state={stateOf(file)} /> },
            ...columns,
            timeColumn('Updated', 'updated_at'),
          ]}
        />
      )}
    </FirstItems>
  );
}
