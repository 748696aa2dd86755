import type { Standing } from './attribute.ts';

interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  closePath(): void;
}

/** A shape of about the given area, in the form that Plot's dots expect. */
interface DotSymbol {
  draw(pen: Pen, size: number): void;
}

/** A triangle that points towards over or under; a circle for no significant difference. */
export const symbolOf: Record<Exclude<Standing, 'withheld'>, DotSymbol> = {
  over: { draw: (pen, size) => drawTriangle(pen, Math.sqrt(size / Math.PI)) },
  under: { draw: (pen, size) => drawTriangle(pen, -Math.sqrt(size / Math.PI)) },
  level: {
    draw(pen, size) {
      const radius = Math.sqrt(size / Math.PI) * 0.9;
      pen.moveTo(radius, 0);
      pen.arc(0, 0, radius, 0, 2 * Math.PI);
    },
  },
};

/** The tip is near the exact value, so the marker does not exaggerate it. */
function drawTriangle(pen: Pen, reach: number): void {
  const height = Math.abs(reach) * 1.3;
  pen.moveTo(reach * 0.6, 0);
  pen.lineTo(-reach * 1.5, height);
  pen.lineTo(-reach * 1.5, -height);
  pen.closePath();
}
