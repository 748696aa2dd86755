/** Where things stand in a plot whose rows each have a label, something drawn, and figures. */
export interface PlotLayout {
  readonly width: number;
  /** In a narrow plot the label and the figures stand above what is drawn, not beside it. */
  readonly isStacked: boolean;
  readonly rowHeight: number;
  /** How far labels may reach. */
  readonly labelWidth: number;
  readonly marginLeft: number;
  readonly marginRight: number;
}

const narrow = 620;
const rowHeights = { beside: 28, stacked: 50 };
const gap = 14;
/** Room for half of a tick's text and half of a marker at the plot's edges. */
const edge = 14;

/** The labels get what the widest of them needs, but leave most of it to what is drawn. */
export function plotLayout(width: number, widestLabel: number, figuresWidth: number): PlotLayout {
  if (width < narrow) {
    return {
      width,
      isStacked: true,
      rowHeight: rowHeights.stacked,
      labelWidth: Math.max(width - figuresWidth - gap, 0),
      marginLeft: edge,
      marginRight: edge,
    };
  }
  const labelWidth = Math.min(Math.ceil(widestLabel), Math.floor(width * 0.34));
  return {
    width,
    isStacked: false,
    rowHeight: rowHeights.beside,
    labelWidth,
    marginLeft: labelWidth + gap,
    marginRight: figuresWidth + gap,
  };
}

/** Known before anything is drawn, so that nothing below a plot ever moves. */
export function rowsHeight(width: number, rows: number): number {
  return rows * (width < narrow ? rowHeights.stacked : rowHeights.beside);
}

/** Of the axis with the heads of the figures: stacked, they have a line of their own above it. */
export function axisHeight(width: number): number {
  return width < narrow ? 48 : 28;
}
