import type { Measure } from './label-fit.ts';

/** Measures texts in the font of the element. */
export function measureIn(element: Element, size: number, weight: number): Measure {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return (text) => text.length * size * 0.6;
  context.font = `${weight} ${size}px ${getComputedStyle(element).fontFamily}`;
  return (text) => context.measureText(text).width;
}
