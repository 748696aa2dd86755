import { describe, expect, test } from 'vitest';
import { buildErrorXml, buildXml, elementsOf, parseXml, textOf } from './xml.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

describe('a response', () => {
  test('has its members in order, one element per array item, and no undefined members', () => {
    const content = {
      Size: 0,
      IsTruncated: false,
      Nothing: undefined,
      Empty: '',
      At: new Date(0),
      Key: ['a', 'b'],
      None: [],
      Owner: { ID: 'x' },
    };
    expect(buildXml('Result', content)).toBe(
      `${declaration}<Result xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Size>0</Size><IsTruncated>false</IsTruncated><Empty></Empty><At>1970-01-01T00:00:00.000Z</At><Key>a</Key><Key>b</Key><Owner><ID>x</ID></Owner></Result>`,
    );
  });

  test('escapes markup and control characters', () => {
    expect(buildErrorXml({ Key: `<&>"'\r\n\u0001é😀\ud800` })).toBe(
      `${declaration}<Error><Key>&lt;&amp;&gt;&quot;'&#xD;&#xA;&#x1;é😀\ufffd</Key></Error>`,
    );
  });
});

describe('a request', () => {
  const keysOf = (text: string) =>
    elementsOf(parseXml(text, 'Delete'), 'Object').map((object) => textOf(object, 'Key'));

  test('is parsed with its spaces, entities and namespaces', () => {
    const text = `<?xml version="1.0"?>
      <s3:Delete xmlns:s3="x"><s3:Object><s3:Key> a&#34;&quot;&amp;#34;&#xA;&lt;é😀 </s3:Key></s3:Object></s3:Delete>`;
    expect(keysOf(text)).toEqual([' a""&#34;\n<é😀 ']);
  });

  test('keeps numbers as written', () => {
    const text = '<Delete><Object><Key>007</Key></Object><Object><Key>1e3</Key></Object></Delete>';
    expect(keysOf(text)).toEqual(['007', '1e3']);
  });

  test('with references to characters that XML forbids is refused', () => {
    for (const number of [0, 1, 8, 11, 12, 14, 20, 31]) {
      for (const reference of [`&#${number};`, `&#x${number.toString(16)};`, `&#00${number};`]) {
        expect(() => keysOf(`<Delete><Object><Key>a${reference}</Key></Object></Delete>`)).toThrow(
          'not well-formed',
        );
      }
    }
    for (const reference of ['&#9;', '&#10;', '&#13;', '&#xd;', '&#32;', '&#x20;', '&#100;']) {
      expect(keysOf(`<Delete><Object><Key>a${reference}b</Key></Object></Delete>`)[0]).toHaveLength(
        3,
      );
    }
  });
});
