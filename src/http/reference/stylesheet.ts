/** The styles of the reference page, in page order. Colours are named once for light and dark. */
export const referenceStylesheet = `:root {
  color-scheme: light dark;
  --page: #ffffff;
  --raised: #f5f7f8;
  --line: #dae0e4;
  --ink: #1b2329;
  --quiet: #56636d;
  --accent: #0a6a80;
  --accent-wash: #e0f0f4;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #12171b;
    --raised: #1a2126;
    --line: #2f3a42;
    --ink: #dde4e8;
    --quiet: #9caab3;
    --accent: #67c5da;
    --accent-wash: #16323a;
  }
}

* { box-sizing: border-box; }
html { scroll-padding-top: 1.25rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  display: grid;
  grid-template-columns: 18rem minmax(0, 1fr);
  background: var(--page);
  color: var(--ink);
  font: 0.9375rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
p { margin: 0 0 0.75rem; max-width: 44rem; }
ul { margin: 0; padding: 0; list-style: none; }
code, pre, .method, .status { font-family: var(--mono); font-size: 0.8125rem; }
code { overflow-wrap: anywhere; }
p code, td code { background: var(--raised); border-radius: 3px; padding: 0.1em 0.25em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -200vw; z-index: 1; padding: 0.5rem 1rem; background: var(--page); }
.skip:focus { left: 0.5rem; top: 0.5rem; }

.sidebar {
  position: sticky;
  top: 0;
  align-self: start;
  height: 100vh;
  overflow-y: auto;
  padding: 1.5rem 1rem 2rem;
  background: var(--raised);
  border-right: 1px solid var(--line);
}
.brand { margin: 0 0.5rem 1rem; font-size: 1.0625rem; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.version { color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
#show-contents, #show-contents + label { display: none; }
nav a { display: block; padding: 0.25rem 0.5rem; border-radius: 4px; color: inherit; text-decoration: none; }
nav a:hover { background: var(--accent-wash); }
nav > ul > li { margin-bottom: 0.75rem; }
nav > ul > li > a { font-weight: 600; }
nav li li a { display: flex; align-items: baseline; gap: 0.5rem; font-size: 0.875rem; line-height: 1.4; }
nav .method { flex: none; width: 2.9rem; padding: 0; border: 0; background: none; font-size: 0.6875rem; text-align: left; }

main { padding: 2.25rem 3rem 4rem; max-width: 92rem; }
h1, h2, h3, h4, h5 { margin: 0; line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.875rem; letter-spacing: -0.015em; margin-bottom: 0.75rem; }
h2 { font-size: 1.4375rem; letter-spacing: -0.01em; }
h3 { font-size: 1.125rem; }
h4 { font-size: 0.9375rem; }
h5 { font-size: 0.875rem; font-weight: 600; margin: 0.75rem 0 0.375rem; }
.heading { display: flex; align-items: baseline; gap: 0.5rem; margin: 1.5rem 0 0.5rem; }
.permalink { padding: 0 0.25rem; text-decoration: none; opacity: 0; }
.heading:hover .permalink, .permalink:focus-visible { opacity: 1; }
section > .heading { margin-top: 3rem; }
section > .heading + p { color: var(--quiet); }
:target { color: var(--accent); }
tr:target { color: inherit; background: var(--accent-wash); }
.label { color: var(--quiet); margin-right: 0.5rem; }
.lead, .aside { color: var(--quiet); font-size: 0.875rem; margin: 0.5rem 0 0.375rem; }

.operation { border-top: 1px solid var(--line); margin-top: 2rem; }
.operation > .heading { margin-bottom: 0.375rem; }
.endpoint { display: flex; align-items: baseline; gap: 0.625rem; max-width: none; }
.endpoint .path { padding: 0; background: none; font-size: 0.9375rem; }
.method, .status { display: inline-block; border: 1px solid var(--line); border-radius: 4px; padding: 0 0.4rem; font-weight: 600; }
.method { color: var(--accent); }
.endpoint .method { background: var(--accent-wash); border-color: transparent; }
.endpoint .method-get { background: none; border-color: var(--line); }
.status { color: var(--quiet); }
.status-2 { color: var(--accent); background: var(--accent-wash); border-color: transparent; }
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

pre {
  margin: 0 0 0.75rem;
  padding: 0.75rem 0.875rem;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: 6px;
  line-height: 1.5;
  white-space: pre-wrap;
  tab-size: 2;
}
.command code { user-select: all; -webkit-user-select: all; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; color: var(--quiet); }

@media (min-width: 90rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr); gap: 2.5rem; }
  .examples { position: sticky; top: 1.25rem; align-self: start; }
  .examples > .heading { margin-top: 0; }
}

@media (max-width: 60rem) {
  body { display: block; }
  .sidebar { position: static; height: auto; padding: 0.75rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  .brand { display: inline-block; margin: 0.375rem 0; }
  #show-contents { display: inline-block; position: absolute; opacity: 0; }
  #show-contents + label { display: block; float: right; padding: 0.375rem 0.75rem; border: 1px solid var(--line); border-radius: 4px; background: var(--page); }
  #show-contents + label::after { content: " \\25be"; }
  #show-contents:checked + label::after { content: " \\25b4"; }
  #show-contents:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
  #show-contents:not(:checked) ~ nav { display: none; }
  nav { clear: both; padding-top: 0.75rem; }
  nav a { padding: 0.4375rem 0.25rem; }
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  .permalink { opacity: 1; }
  table, tbody, tr, tbody th, td { display: block; width: auto; max-width: none; }
  thead { position: absolute; left: -200vw; }
  tbody tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { padding: 0; border: 0; }
  tbody th, td:not(:last-child) { display: inline; margin-right: 0.625rem; }
  td:not(:last-child) { color: var(--quiet); }
}

@media print {
  body { display: block; font-size: 9.5pt; }
  .sidebar, .skip, .permalink { display: none; }
  main { padding: 0; }
  a { color: inherit; text-decoration: none; }
  pre, tr { break-inside: avoid; }
  .heading, .endpoint, .lead, h5 { break-after: avoid; }
}
`;
