import { curlExample } from './examples/curl-example.ts';
import { pythonExample } from './examples/python-example.ts';
import type { RequestExample } from './examples/request-example.ts';
import { typescriptExample } from './examples/typescript-example.ts';
import { highlighted, type Language } from './highlight.ts';
import { type Html, html } from './html.ts';

/** The same code in each language. */
export interface Samples {
  readonly shell: string;
  readonly typescript: string;
  readonly python: string;
}

const LANGUAGES = { shell: 'curl', typescript: 'TypeScript', python: 'Python' } as const;

export function requestSamples(request: RequestExample): Samples {
  return {
    shell: curlExample(request),
    typescript: typescriptExample(request),
    python: pythonExample(request),
  };
}

/** Without script, the languages can be opened one by one. The script makes tabs of them. */
export function codeSamples(label: string, samples: Samples): Html {
  const languages = ['shell', 'typescript', 'python'] as const;
  return html`<div class="samples" data-label="${label}">
${languages.map(
  (language) =>
    html`<details class="sample" data-language="${language}"${language === 'shell' ? html` open` : undefined}><summary>${LANGUAGES[language]}</summary>
${codeBlock(samples[language], language)}</details>
`,
)}</div>`;
}

export function codeBlock(code: string, language: Language): Html {
  return html`<div class="code"><pre><code>${highlighted(code, language)}</code></pre></div>`;
}
