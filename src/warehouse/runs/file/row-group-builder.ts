import { countPages, type PageTable, pageAt, setOffset, wordsPerPage } from './page-table.ts';
import { devicesPerRowGroup, type WrittenRowGroup } from './run-file-format.ts';

/** The position of a run in its file, and its size. */
export interface WrittenRun {
  readonly firstRowGroup: number;
  readonly rowGroups: number;
  readonly bytes: number;
  readonly devices: number;
}

/** Assigns the pages of a file, in the order of the file, to runs and row groups. */
export interface RowGroupBuilder {
  readonly rowGroups: readonly WrittenRowGroup[];
  /** Adds pages, written at `offset` of the file, to the current run. */
  add(pages: PageTable, offset: number): void;
  /** Ends the current run; null if it has no pages. */
  endRun(): WrittenRun | null;
}

export function createRowGroupBuilder(): RowGroupBuilder {
  const rowGroups: WrittenRowGroup[] = [];
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
