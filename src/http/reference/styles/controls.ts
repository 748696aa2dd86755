/** What the script adds: search, tabs, copy buttons and forms that send requests. */
export const controls = `
button, input, textarea { font: inherit; color: inherit; }
.search { position: relative; margin: 0 0.25rem 0.875rem; }
.search input { width: 100%; padding: 0.375rem 2rem 0.375rem 0.625rem; background: var(--page); border: 1px solid var(--line-strong); border-radius: 6px; }
.search input::-webkit-search-cancel-button { display: none; }
.search kbd { position: absolute; right: 0.5rem; top: 50%; translate: 0 -50%; padding: 0 0.375rem; border: 1px solid var(--line); border-radius: 4px; color: var(--quiet); font-size: 0.75rem; }
.search input:focus + kbd { display: none; }
::placeholder { color: var(--quiet); opacity: 1; }
.results { padding: 0 0.25rem; }
.results a { display: block; padding: 0.375rem 0.5rem; border-radius: 5px; color: inherit; font-size: 0.875rem; line-height: 1.4; text-decoration: none; }
.results a:hover, .results a:focus { background: var(--accent-wash); }
.results .found { display: flex; align-items: baseline; gap: 0.375rem; }
.results .hint { color: var(--quiet); font-family: var(--mono); font-size: 0.75rem; overflow-wrap: anywhere; }
.results .none { padding: 0.375rem 0.5rem; color: var(--quiet); }

.tabs { display: flex; gap: 0.125rem; padding: 0 0.375rem; background: var(--code-bar); border: 1px solid var(--code-line); border-bottom: 0; border-radius: 7px 7px 0 0; }
.tabs button { padding: 0.375rem 0.625rem; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--code-quiet); font-size: 0.8125rem; cursor: pointer; }
.tabs button:hover { color: var(--code-ink); }
.tabs button[aria-selected="true"] { border-bottom-color: var(--code-keyword); color: var(--code-ink); font-weight: 600; }
.tabs button:focus-visible { outline-color: var(--code-keyword); outline-offset: -3px; }
.tabs + .sample .code, .tabs ~ .sample .code { border-top-left-radius: 0; border-top-right-radius: 0; }
.copy { position: absolute; top: 0.375rem; right: 0.375rem; padding: 0.125rem 0.5rem; border: 1px solid transparent; border-radius: 4px; background: var(--code-bar); color: var(--code-quiet); font-size: 0.75rem; cursor: pointer; opacity: 0; }
.code:hover .copy, .copy:focus-visible, .copy.done { opacity: 1; }
.copy:hover { color: var(--code-ink); border-color: var(--code-quiet); }
.copy:focus-visible { outline-color: var(--code-keyword); }
@media (hover: none) { .copy { opacity: 1; } }

.action { padding: 0.375rem 0.875rem; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--page); font-size: 0.875rem; font-weight: 500; cursor: pointer; }
.action:hover { border-color: var(--accent); color: var(--accent); }
.action.main { border-color: transparent; background: var(--accent); color: var(--on-accent); }
.action.main:hover { filter: brightness(1.1); }
.action:disabled { opacity: 0.6; cursor: default; }
.try-panel { margin-top: 0.75rem; padding: 0.875rem; border: 1px solid var(--line); border-radius: 7px; background: var(--raised); }
.try-panel p { margin-bottom: 0.625rem; font-size: 0.8125rem; color: var(--quiet); }
.field { display: block; margin-bottom: 0.625rem; }
.field > span { display: block; margin-bottom: 0.125rem; font-size: 0.875rem; }
.field .where { color: var(--quiet); font-size: 0.75rem; }
.field input, .field textarea { width: 100%; padding: 0.375rem 0.5rem; background: var(--page); border: 1px solid var(--line-strong); border-radius: 5px; font-family: var(--mono); font-size: 0.8125rem; }
.field textarea { display: block; resize: vertical; line-height: 1.5; }
.field input[type="file"] { font-family: inherit; }
.secret { -webkit-text-security: disc; }
.secret:placeholder-shown { -webkit-text-security: none; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.answer { margin-top: 0.875rem; }
.answer:empty { margin: 0; }
.answer dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.125rem 0.75rem; margin: 0 0 0.625rem; font-size: 0.8125rem; }
.answer dt { color: var(--quiet); }
.answer dd { margin: 0; overflow-wrap: anywhere; font-family: var(--mono); }
.answer pre { max-height: 28rem; overflow-y: auto; }
dialog { max-width: 30rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 10px; background: var(--page); color: var(--ink); }
dialog::backdrop { background: rgb(10 20 28 / 50%); }
dialog h2 { font-size: 1.125rem; margin-bottom: 0.5rem; }
`;
