/** Phones and paper. */
export const media = `
@media (max-width: 60rem) {
  html { scroll-padding-top: 4.5rem; }
  body { display: block; }
  .sidebar { z-index: 2; display: grid; grid-template-columns: auto minmax(0, 1fr) auto; align-items: center; gap: 0 0.75rem; height: auto; max-height: 100vh; padding: 0.5rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  .brand { margin: 0; }
  .version { display: none; }
  .search { margin: 0; grid-column: 2; grid-row: 1; }
  .search kbd { display: none; }
  .search input { padding-right: 0.625rem; font-size: 1rem; }
  .results, nav { grid-column: 1 / -1; }
  .results { padding: 0.5rem 0; }
  #show-contents { display: inline-block; position: absolute; opacity: 0; }
  #show-contents + label { display: block; grid-column: 3; grid-row: 1; padding: 0.375rem 0.75rem; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--page); }
  #show-contents + label::after { content: " \\25be"; }
  #show-contents:checked + label::after { content: " \\25b4"; }
  #show-contents:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
  #show-contents:not(:checked) ~ nav { display: none; }
  nav { padding: 0.75rem 0; }
  nav a, .results a { padding: 0.4375rem 0.25rem; }
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
  .sidebar, .skip, .permalink, .copy, .tabs, .try-toggle, .try-panel, .sample:not([open], [role]) { display: none; }
  .sample > summary { display: none; }
  main { padding: 0; }
  a { color: inherit; text-decoration: none; }
  .code, tr { break-inside: avoid; }
  .heading, .endpoint, .lead, h3, h5 { break-after: avoid; }
  .columns, .steps > li { display: block; }
  .examples { position: static; }
}
`;
