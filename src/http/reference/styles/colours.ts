/** Colours are named once for light and dark. Code is on a dark ground in both. */
export const colours = `:root {
  color-scheme: light dark;
  --page: #ffffff;
  --raised: #f5f7f8;
  --line: #dae0e4;
  --line-strong: #7f8c95;
  --ink: #1b2329;
  --quiet: #56636d;
  --accent: #0a6a80;
  --accent-wash: #e0f0f4;
  --on-accent: #ffffff;
  --good: #1a6b41;
  --warn: #7d5100;
  --bad: #b3261e;
  --code-ground: #12222c;
  --code-bar: #1b303c;
  --code-line: #12222c;
  --code-ink: #d9e5eb;
  --code-quiet: #a3b7c2;
  --code-string: #a2d9ae;
  --code-keyword: #82cbe4;
  --code-constant: #eabd84;
  --code-name: #a9c8ff;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #12171b;
    --raised: #1a2126;
    --line: #2f3a42;
    --line-strong: #73808a;
    --ink: #dde4e8;
    --quiet: #9caab3;
    --accent: #67c5da;
    --accent-wash: #16323a;
    --on-accent: #06222b;
    --good: #67c795;
    --warn: #e4b35c;
    --bad: #ff9086;
    --code-ground: #0b1014;
    --code-bar: #151c21;
    --code-line: #2f3a42;
  }
}
@media print {
  :root {
    --code-ground: #ffffff;
    --code-bar: #ffffff;
    --code-line: #dae0e4;
    --code-ink: #1b2329;
    --code-quiet: #56636d;
    --code-string: #1a6b41;
    --code-keyword: #0a6a80;
    --code-constant: #7d5100;
    --code-name: #3c59b4;
  }
}
`;
