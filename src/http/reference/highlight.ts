import { type Html, html } from './html.ts';

export type Language = 'shell' | 'typescript' | 'python' | 'json' | 'text';

/** Of each language, the tokens that get a colour. The name of a group is the class of its tokens. */
const TOKENS: Readonly<Record<Language, RegExp | undefined>> = {
  shell:
    /(?<string>'(?:[^']|'\\'')*'|"(?:[^"\\]|\\.)*")|(?<comment>(?<=^|\s)#.*)|(?<keyword>(?<=^|[(|] *)(?:curl|export|printf|grep)\b)|(?<constant>(?<=\s)--?[a-zA-Z][\w-]*)/gm,
  typescript:
    /(?<string>'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<comment>\/\/.*)|(?<keyword>\b(?:import|from|const|let|await|async|function|return|if|while|throw|new)\b)|(?<constant>\b(?:true|false|null|\d[\d_]*)\b)/gm,
  python:
    /(?<string>f?"(?:[^"\\\n]|\\.)*")|(?<comment>#.*)|(?<keyword>\b(?:import|from|def|return|with|as|if|while|not|in)\b)|(?<constant>\b(?:True|False|None|\d+)\b)/gm,
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<constant>\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/gm,
  text: undefined,
};

/** Code whose tokens are coloured by the stylesheet. */
export function highlighted(code: string, language: Language): Html {
  const tokens = TOKENS[language];
  if (tokens === undefined) return html`${code}`;
  const pieces: (Html | string)[] = [];
  let end = 0;
  for (const { 0: token, index, groups = {} } of code.matchAll(tokens)) {
    const [kind] = Object.entries(groups).find(([, text]) => text !== undefined) ?? [''];
    pieces.push(code.slice(end, index), html`<span class="code-${kind}">${token}</span>`);
    end = index + token.length;
  }
  return html`${[...pieces, code.slice(end)]}`;
}
