/** The frame of the page: text, contents and headings. */
export const page = `
* { box-sizing: border-box; }
html { scroll-padding-top: 1.25rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  display: grid;
  grid-template-columns: 17.5rem minmax(0, 1fr);
  background: var(--page);
  color: var(--ink);
  font: 0.9375rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
p { margin: 0 0 0.75rem; max-width: 44rem; }
ul, ol { margin: 0; padding: 0; list-style: none; }
code, pre, kbd, .method, .status { font-family: var(--mono); font-size: 0.8125rem; }
code { overflow-wrap: anywhere; }
p code, td code { background: var(--raised); border-radius: 3px; padding: 0.1em 0.25em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -200vw; z-index: 3; padding: 0.5rem 1rem; background: var(--page); }
.skip:focus { left: 0.5rem; top: 0.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.sidebar {
  position: sticky;
  top: 0;
  align-self: start;
  height: 100vh;
  overflow-y: auto;
  overscroll-behavior: contain;
  padding: 1.25rem 0.75rem 2rem;
  background: var(--raised);
  border-right: 1px solid var(--line);
}
.brand { margin: 0 0.5rem 0.875rem; font-size: 1.0625rem; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.version { color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
#show-contents, #show-contents + label { display: none; }
nav a { display: block; padding: 0.25rem 0.5rem; border-radius: 5px; color: inherit; text-decoration: none; }
nav a:hover { background: var(--accent-wash); }
nav a[aria-current] { background: var(--accent-wash); color: var(--accent); box-shadow: inset 2px 0 var(--accent); }
nav > ul > li > a { font-weight: 500; }
.part { margin: 1rem 0; }
.part > summary { padding: 0.25rem 0.5rem; color: var(--quiet); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.01em; cursor: pointer; }
.part > summary:hover { color: var(--ink); }
.part li { margin-bottom: 0.375rem; }
.part li li { margin: 0; }
.group { font-weight: 600; }
nav li li a { display: flex; align-items: baseline; gap: 0.375rem; font-size: 0.8125rem; line-height: 1.4; }
nav .method, .results .method { flex: none; width: 2.75rem; padding: 0; border: 0; background: none; font-size: 0.625rem; text-align: left; }

main { padding: 2.25rem 2.5rem 4rem; max-width: 92rem; }
h1, h2, h3, h4, h5 { margin: 0; line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; letter-spacing: -0.02em; margin-bottom: 0.75rem; }
h1 + p { font-size: 1.0625rem; color: var(--quiet); }
h2 { font-size: 1.5rem; letter-spacing: -0.01em; }
h3 { font-size: 1.125rem; }
h4 { font-size: 0.9375rem; }
h5 { font-size: 0.875rem; font-weight: 600; margin: 0.75rem 0 0.375rem; }
.heading { display: flex; align-items: baseline; gap: 0.5rem; margin: 1.5rem 0 0.5rem; }
.permalink { padding: 0 0.25rem; text-decoration: none; opacity: 0; }
.heading:hover .permalink, .permalink:focus-visible { opacity: 1; }
section > .heading { margin-top: 3rem; }
section > .heading + p { color: var(--quiet); }
.part-name { margin: 3rem 0 0; color: var(--accent); font-size: 0.8125rem; font-weight: 600; }
.part-name + .heading { margin-top: 0.125rem; }
:target { color: var(--accent); }
tr:target { color: inherit; background: var(--accent-wash); }
.label { color: var(--quiet); margin-right: 0.5rem; }
.lead, .aside { color: var(--quiet); font-size: 0.875rem; margin: 0.5rem 0 0.375rem; }
.servers { margin-bottom: 0.75rem; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; color: var(--quiet); }
`;
