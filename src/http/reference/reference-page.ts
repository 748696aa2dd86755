import { contentsOf, type Group } from './document/contents.ts';
import { credentialsOf } from './document/credentials.ts';
import type { OpenApiDocument } from './document/openapi-document.ts';
import { serverOf } from './examples/request-example.ts';
import { heading } from './headings.ts';
import { type Html, html } from './html.ts';
import { navigation } from './navigation.ts';
import { operationSection } from './operation-section.ts';
import { type ProblemEntry, problemAnchor, problemsSection } from './problems-section.ts';
import { prose } from './prose.ts';
import { quickStart } from './quick-start.ts';
import { table } from './tables.ts';

/** In the page, because browsers otherwise ask for /favicon.ico. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0a6a86" stroke-width="2.2" stroke-linecap="round"><path d="M2.5 4.5c6.5 0 6 7.5 12 7.5M2.5 19.5c6.5 0 6-7.5 12-7.5M2.5 12h12"/><path d="M14 12h7.5" stroke-width="4.4"/></svg>',
)}`;

/**
 * The API reference as one page. All of it can be read without scripts. The script adds search, tabs,
 * copy buttons, the mark of the current section and the forms that send requests.
 */
export function renderReference(
  document: OpenApiDocument,
  problems: readonly ProblemEntry[],
): string {
  const { title, version, description } = document.info;
  const groups = contentsOf(document);
  const start = quickStart(groups, serverOf(document));
  const [about, ...conventions] = (description ?? '').split(/\n\s*\n/);
  const codes = new Set(problems.map(({ code }) => code));
  const problemLink = (code: string) => (codes.has(code) ? `#${problemAnchor(code)}` : undefined);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="/docs/reference.css">
<script type="module" src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="sidebar">
<p class="brand"><a href="#content">${title}</a> <span class="version">${version}</span></p>
<input type="checkbox" id="show-contents"><label for="show-contents">Contents</label>
${navigation(groups, start !== undefined)}
</header>
<main id="content" tabindex="-1">
<h1>${title} API reference</h1>
${prose(about)}
${servers(document)}
${start}
<section aria-labelledby="conventions">
${heading(2, 'conventions', 'Conventions')}
${prose(conventions.join('\n\n'))}
</section>
${authenticationSection(document)}
${groups.map(
  (group) => html`<section aria-labelledby="${group.anchor}">
${partName(group)}
${heading(2, group.anchor, group.name)}
${prose(group.description)}
${group.entries.map((entry) => operationSection(document, entry, problemLink))}
</section>
`,
)}
${problemsSection(problems)}
<footer><p>Version ${version}. Machine-readable version: <a href="/openapi.json">OpenAPI 3.1</a>. For Postman and Bruno: <a href="/docs/postman.json">a collection</a>.</p></footer>
</main>
</body>
</html>
`;
  return page.toString();
}

function partName({ part }: Group): Html | undefined {
  return part === undefined ? undefined : html`<p class="part-name">${part}</p>`;
}

function servers(document: OpenApiDocument): Html | undefined {
  if (document.servers === undefined || document.servers.length === 0) return undefined;
  return html`<ul class="servers">
${document.servers.map(
  ({ url, description }) =>
    html`<li><span class="label">${description ?? 'Base URL'}</span> <code>${url}</code></li>\n`,
)}</ul>`;
}

function authenticationSection(document: OpenApiDocument): Html {
  const rows = credentialsOf(document).map((credential) => ({
    anchor: credential.anchor,
    cells: [
      html`<code>${credential.header}: ${credential.prefix}$${credential.variable}</code>`,
      prose(credential.description),
    ],
  }));
  return html`<section aria-labelledby="authentication">
${heading(2, 'authentication', 'Authentication')}
${
  rows.length === 0
    ? html`<p>No operation needs authentication.</p>`
    : html`<p>Each operation lists the headers it needs. The examples read the secret from a shell variable.</p>
${table('Ways to authenticate', ['Header', 'Who sends it'], rows)}`
}
</section>`;
}
