/** The value of each series in Prometheus's text format, such as `jobs{state="done"}`. */
export function metricValues(text: string): Record<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1).replace('Inf', 'Infinity'))];
    }),
  );
}
