import { countPages, type PageTable, pageAt, setOffset, wordsPerPage } from './page-table.ts';
import { devicesPerRowGroup, type LaidOutRowGroup } from './run-file-format.ts';

/** Where a run lies in its file, and how large it is. */
export interface WrittenRun {
  readonly firstRowGroup: number;
  readonly rowGroups: number;
  readonly bytes: number;
  readonly devices: number;
}

/** Divides the pages of a file, in the order in which they are written, into runs and row groups. */
export interface RowGroupBuilder {
  readonly rowGroups: readonly LaidOutRowGroup[];
  /** Pages that were written from `offset` of the file on, of the run that is under way. */
  add(pages: PageTable, offset: number): void;
  /** Ends the run; null if it got no page. */
  endRun(): WrittenRun | null;
}

export function createRowGroupBuilder(): RowGroupBuilder {
  const rowGroups: LaidOutRowGroup[] = [];
  let firstRowGroup = 0;
  let pages: PageTable[] = [];
  let devices = 0;

  function endRowGroup(): void {
    if (pages.length === 0) return;
    const table = joined(pages);
    const first = pageAt(table, 0);
    const last = pageAt(table, countPages(table) - 1);
    const bytes = last.offset + last.bytes - first.offset;
    rowGroups.push({ devices, offset: first.offset, bytes, pages: table });
    pages = [];
    devices = 0;
  }

  return {
    rowGroups,
    add(table, offset) {
      let begin = 0;
      for (let number = 0; number < countPages(table); number++) {
        const page = pageAt(table, number);
        setOffset(table, number, offset + page.offset);
        if (devices + page.devices > devicesPerRowGroup) {
          if (number > begin)
            pages.push(table.subarray(begin * wordsPerPage, number * wordsPerPage));
          endRowGroup();
          begin = number;
        }
        devices += page.devices;
      }
      if (begin * wordsPerPage < table.length) pages.push(table.subarray(begin * wordsPerPage));
    },
    endRun() {
      endRowGroup();
      const own = rowGroups.slice(firstRowGroup);
      const run = {
        firstRowGroup,
        rowGroups: own.length,
        bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
        devices: own.reduce((sum, rowGroup) => sum + rowGroup.devices, 0),
      };
      firstRowGroup = rowGroups.length;
      return own.length > 0 ? run : null;
    },
  };
}

function joined(tables: readonly PageTable[]): PageTable {
  const table = new Uint32Array(tables.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of tables) {
    table.set(part, end);
    end += part.length;
  }
  return table;
}
