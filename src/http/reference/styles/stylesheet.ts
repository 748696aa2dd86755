import { colours } from './colours.ts';
import { controls } from './controls.ts';
import { media } from './media.ts';
import { operations } from './operations.ts';
import { page } from './page.ts';

/** The styles of the reference page, and of error pages. */
export const referenceStylesheet = [colours, page, operations, controls, media].join('');
