import { markdownTable } from '../../src/config/markdown-table.ts';

const introduction = `# Metrics

Prometheus metrics are served at \`/metrics\`, without authentication: by API processes on \`TRIBUTARY_METRICS_PORT\`, by workers on
\`TRIBUTARY_WORKER_METRICS_PORT\`. [Operating](operating.md#metrics-and-alerts) says what to scrape, and has the alerts.
`;

const sections = {
  service: [
    'The service',
    'Served by every API process, which reads them from the database at each scrape. All API processes serve the same values, so use `max`, not `sum`. Without the database they are missing.',
  ],
  api: ['API processes', 'Each process counts its own requests, since its start.'],
  worker: [
    'Workers',
    'Each worker counts its own jobs, since its start. An isolated worker, which runs jobs that may kill their worker, serves none; its jobs are in the metrics of the service.',
  ],
  process: [
    'Every process',
    'The metrics of the disk are missing if nothing is stored in the data dir.',
  ],
} as const;

/** docs/metrics.md, from the help texts of the metrics themselves. */
export function metricsDocument(texts: Readonly<Record<keyof typeof sections, string>>): string {
  const parts = Object.entries(sections).map(([name, [title, text]]) => {
    const rows = rowsOf(texts[name as keyof typeof sections]);
    return `## ${title}\n\n${text}\n\n${markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)}\n`;
  });
  const standard =
    'The metrics that begin with `process_` and `nodejs_` are those of [prom-client](https://github.com/siimon/prom-client): CPU, memory, event loop, garbage collection.\n';
  return [introduction, ...parts, standard].join('\n');
}

function rowsOf(text: string): string[][] {
  const described = text.matchAll(/^# HELP (tributary_\w+) (.*)\n# TYPE \w+ (\w+)$/gm);
  return [...described].map(([, name = '', help = '', type = '']) => [
    `\`${name}\``,
    type,
    labelsOf(name, text),
    help,
  ]);
}

/** The labels of a metric's first series. */
function labelsOf(name: string, text: string): string {
  const { labels = '' } =
    text.match(new RegExp(`^${name}(_bucket)?\\{(?<labels>.*)\\}`, 'm'))?.groups ?? {};
  const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  return names.filter((label) => label !== 'le').join(', ');
}
