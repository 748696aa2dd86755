import { contentsOf, type Group } from './contents.ts';
import { credentialsOf } from './credentials.ts';
import { heading } from './headings.ts';
import { type Html, html } from './html.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { methodBadge, operationSection } from './operation-section.ts';
import { type ProblemEntry, problemAnchor, problemsSection } from './problems-section.ts';
import { prose } from './prose.ts';
import { table } from './tables.ts';

/**
 * The API reference as one page without scripts. We render it ourselves, because the bundle of an
 * OpenAPI viewer takes megabytes and fetches from other sites.
 */
export function renderReference(
  document: OpenApiDocument,
  problems: readonly ProblemEntry[],
): string {
  const { title, version, description } = document.info;
  const groups = contentsOf(document);
  const codes = new Set(problems.map(({ code }) => code));
  const problemLink = (code: string) => (codes.has(code) ? `#${problemAnchor(code)}` : undefined);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="sidebar">
<p class="brand"><a href="#content">${title}</a> <span class="version">${version}</span></p>
<input type="checkbox" id="show-contents"><label for="show-contents">Contents</label>
${navigation(groups)}
</header>
<main id="content" tabindex="-1">
<h1>${title} API reference</h1>
${prose(description)}
${servers(document)}
${authenticationSection(document)}
${groups.map(
  (group) => html`<section aria-labelledby="${group.anchor}">
${heading(2, group.anchor, group.name)}
${prose(group.description)}
${group.entries.map((entry) => operationSection(document, entry, problemLink))}
</section>
`,
)}
${problemsSection(problems)}
<footer><p>Version ${version}. Machine-readable version: <a href="/openapi.json">OpenAPI 3.1</a>.</p></footer>
</main>
</body>
</html>
`;
  return page.toString();
}

function navigation(groups: readonly Group[]): Html {
  return html`<nav aria-label="Contents">
<ul>
<li><a href="#authentication">Authentication</a></li>
${groups.map(
  (group) => html`<li><a class="group" href="#${group.anchor}">${group.name}</a>
<ul>
${group.entries.map(
  (entry) =>
    html`<li><a href="#${entry.anchor}">${methodBadge(entry.method)} <span>${entry.title}</span></a></li>\n`,
)}</ul></li>
`,
)}<li><a href="#problems">Problems</a></li>
</ul>
</nav>`;
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
