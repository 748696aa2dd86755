/** "2 minutes and 10 seconds" */
export function waitInWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [
    ...(minutes > 0 ? [many(minutes, 'minute')] : []),
    ...(rest > 0 || minutes === 0 ? [many(rest, 'second')] : []),
  ].join(' and ');
}

function many(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}
