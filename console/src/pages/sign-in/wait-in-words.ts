import { counted } from '../../parts/format.ts';

/** "2 minutes and 10 seconds" */
export function waitInWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [
    ...(minutes > 0 ? [counted(minutes, 'minute', 'minutes')] : []),
    ...(rest > 0 || minutes === 0 ? [counted(rest, 'second', 'seconds')] : []),
  ].join(' and ');
}
