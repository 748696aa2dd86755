import type { Group } from './document/contents.ts';
import { type Html, html } from './html.ts';
import { methodBadge } from './operation-section.ts';

/** The contents. Of the parts of the API, the first one is open, because most readers need it. */
export function navigation(groups: readonly Group[], hasQuickStart: boolean): Html {
  const parts = [...Map.groupBy(groups, ({ part }) => part)];
  return html`<nav aria-label="Contents">
<ul>
${hasQuickStart ? html`<li><a href="#quick-start">Quick start</a></li>\n` : undefined}<li><a href="#conventions">Conventions</a></li>
<li><a href="#authentication">Authentication</a></li>
</ul>
${parts.map(([part, ofPart], index) =>
  part === undefined
    ? html`<ul>${ofPart.map(groupLinks)}</ul>`
    : html`<details class="part"${index === 0 ? html` open` : undefined}><summary>${part}</summary>
<ul>${ofPart.map(groupLinks)}</ul></details>
`,
)}<ul>
<li><a href="#problems">Problems</a></li>
</ul>
</nav>`;
}

function groupLinks({ anchor, name, entries }: Group): Html {
  return html`<li><a class="group" href="#${anchor}">${name}</a>
<ul>
${entries.map(
  (entry) =>
    html`<li><a href="#${entry.anchor}">${methodBadge(entry.method)} <span>${entry.title}</span></a></li>\n`,
)}</ul></li>
`;
}
