/** The layout of a plot whose rows have a label, a drawing and figures. */
export interface PlotLayout {
  readonly width: number;
  /** In a narrow plot the label and the figures are above the drawing, not beside it. */
  readonly isStacked: boolean;
  readonly rowHeight: number;
  /** The maximum width of a label. */
  readonly labelWidth: number;
  readonly marginLeft: number;
  readonly marginRight: number;
}

const narrow = 620;
const rowHeights = { beside: 28, stacked: 50 };
const gap = 14;
/** Room for half of a tick's text and half of a marker at the edges. */
const edge = 14;

/** Labels get the width of the widest one, but at most a third of the plot. */
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

/** Known before drawing, so nothing below the plot moves. */
export function rowsHeight(width: number, rows: number): number {
  return rows * (width < narrow ? rowHeights.stacked : rowHeights.beside);
}

/** The height of the axis and the headings of the figures, which are above it when stacked. */
export function axisHeight(width: number): number {
  return width < narrow ? 48 : 28;
}
