interface Stream {
  readonly source: number;
  /** The x position at which it has joined the river. */
  readonly joins: number;
  readonly width: number;
  readonly opacity: number;
}

/** From top to bottom. Outer streams join later than inner ones, so none crosses another. */
const streams: readonly Stream[] = [
  { source: 170, joins: 690, width: 3, opacity: 0.4 },
  { source: 250, joins: 640, width: 6, opacity: 0.75 },
  { source: 340, joins: 590, width: 4, opacity: 0.5 },
  { source: 410, joins: 530, width: 9, opacity: 0.9 },
  { source: 500, joins: 490, width: 3, opacity: 0.45 },
  { source: 580, joins: 530, width: 7, opacity: 0.7 },
  { source: 660, joins: 580, width: 4, opacity: 0.5 },
  { source: 740, joins: 640, width: 8, opacity: 0.8 },
  { source: 850, joins: 690, width: 3, opacity: 0.4 },
];

const riverTop = 480;
const between = 2;

/** The picture of the product's name: streams that run side by side once they have joined. */
export function Streams() {
  return (
    <svg
      className="streams"
      viewBox="0 0 800 800"
      preserveAspectRatio="xMaxYMid slice"
      aria-hidden="true"
    >
      {streams.map(({ source, joins, width, opacity }, index) => {
        const y = bedOf(index);
        return (
          <path
            key={source}
            d={`M-20 ${source}C${joins * 0.5} ${source} ${joins * 0.5} ${y} ${joins} ${y}H820`}
            strokeWidth={width}
            strokeOpacity={opacity}
            pathLength={1}
          />
        );
      })}
    </svg>
  );
}

/** The centre line of a stream within the river. */
function bedOf(index: number): number {
  const above = streams.slice(0, index).reduce((sum, { width }) => sum + width + between, 0);
  return riverTop + above + (streams[index]?.width ?? 0) / 2;
}
