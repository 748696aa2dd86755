/** Operations, tables and code. */
export const operations = `
.operation { border-top: 1px solid var(--line); margin-top: 2.25rem; padding-top: 0.25rem; }
.operation > .heading { margin-bottom: 0.375rem; }
.endpoint { display: flex; align-items: baseline; gap: 0.625rem; max-width: none; }
.endpoint .path { padding: 0; background: none; font-size: 0.9375rem; }
.method, .status { display: inline-block; border: 1px solid var(--line); border-radius: 4px; padding: 0 0.4rem; font-weight: 600; }
.method { color: var(--accent); }
.method-post { color: var(--good); }
.method-put, .method-patch { color: var(--warn); }
.method-delete { color: var(--bad); }
.endpoint .method { background: var(--raised); }
.status { color: var(--quiet); }
.status-2 { color: var(--good); }
.status-4, .status-5 { color: var(--bad); }
.authentication a { text-decoration: none; }

table { width: 100%; table-layout: fixed; border-collapse: collapse; margin: 0.25rem 0 0.75rem; font-size: 0.875rem; line-height: 1.5; }
th, td { padding: 0.4375rem 0.75rem 0.4375rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-size: 0.75rem; font-weight: 500; padding-bottom: 0.25rem; }
tbody th { font-weight: 400; }
tbody th code { font-weight: 600; }
th:first-child { width: 24%; }
.columns-2 th:first-child { width: 30%; }
.columns-3 th:nth-child(2) { width: 22%; }
.columns-4 th:nth-child(2) { width: 17%; }
.columns-4 th:nth-child(3) { width: 5.25rem; }
td:last-child { padding-right: 0; }
td p { margin: 0; }
.parent { color: var(--quiet); font-weight: 400; }
.required { color: var(--accent); font-weight: 600; }
.limits { color: var(--quiet); }
.limits li { display: inline; }
.limits li + li::before { content: " · "; }

/* In an operation, a row is the name, type and mark of a field in one line, and its description below. */
.description table, .description tbody, .description tr, .description tbody th, .description td { display: block; width: auto; max-width: none; }
.description thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.description tbody tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
.description tbody tr:last-child { border-bottom: 0; }
.description tbody th, .description td { padding: 0; border: 0; }
.description tbody th, .description td:not(:last-child) { display: inline; margin-right: 0.625rem; }
.description td:not(:last-child) { color: var(--quiet); }

pre { margin: 0; padding: 0.75rem 0.875rem; line-height: 1.55; white-space: pre-wrap; tab-size: 2; }
.code { position: relative; margin: 0 0 0.75rem; background: var(--code-ground); color: var(--code-ink); border: 1px solid var(--code-line); border-radius: 7px; }
.code-comment { color: var(--code-quiet); }
.code-string { color: var(--code-string); }
.code-keyword { color: var(--code-keyword); }
.code-constant { color: var(--code-constant); }
.code-name { color: var(--code-name); }
.sample > summary { padding: 0.125rem 0; color: var(--quiet); font-size: 0.875rem; cursor: pointer; }

.steps { counter-reset: step; }
.steps > li { counter-increment: step; padding: 1rem 0 0.25rem; }
.steps h3 { font-size: 1rem; margin-bottom: 0.25rem; }
.steps h3::before { content: counter(step); display: inline-block; width: 1.5rem; margin-right: 0.5rem; border-radius: 50%; background: var(--accent-wash); color: var(--accent); font-size: 0.8125rem; line-height: 1.5rem; text-align: center; }

@media (min-width: 70rem) {
  .columns, .steps > li { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 2.25rem; }
  .columns { margin-top: 0.75rem; }
  .description > :first-child { margin-top: 0; }
  .examples { position: sticky; top: 1.25rem; align-self: start; }
  .examples > .heading { margin-top: 0; }
}
`;
