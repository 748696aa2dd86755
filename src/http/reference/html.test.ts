import { expect, test } from 'vitest';
import { listInWords } from './document/list-in-words.ts';
import { html } from './html.ts';
import { inline, prose } from './prose.ts';

test('html escapes interpolated values in text and in attributes', () => {
  const hostile = `"><script>alert('x')</script>&`;
  expect(html`<a title="${hostile}">${hostile}</a>`.toString()).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</a>',
  );
});

test('html keeps markup, joins lists and omits undefined', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${undefined}${3}`.toString()).toBe(
    '<ul><li>a</li><li>&lt;b&gt;</li></ul>3',
  );
});

test('prose recognises only paragraphs and code', () => {
  expect(prose('One `<a>`.\n\n  \nTwo *stars*.').toString()).toBe(
    '<p>One <code>&lt;a&gt;</code>.</p>\n<p>Two *stars*.</p>\n',
  );
  expect(prose(undefined).toString()).toBe('');
  expect(inline('a lone ` backtick').toString()).toBe('a lone ` backtick');
});

test('code with a target becomes a link', () => {
  const link = (code: string) => (code === 'not_found' ? '#problem-not_found' : undefined);
  expect(inline('`not_found` or `other`', link).toString()).toBe(
    '<a href="#problem-not_found"><code>not_found</code></a> or <code>other</code>',
  );
});

test('a list in words has commas and a conjunction', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((items) => listInWords(items, 'or'))).toEqual(
    ['', 'a', 'a or b', 'a, b or c'],
  );
});
