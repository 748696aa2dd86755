/** The code that the reference page shows in one language, in the order of the page. */
export function samplesIn(page: string, language: 'shell' | 'typescript' | 'python'): string[] {
  const blocks = page.matchAll(
    /data-language="(\w+)"[^>]*><summary>\w+<\/summary>\s*<div class="code"><pre><code>(.*?)<\/code>/gs,
  );
  return [...blocks]
    .filter(([, own]) => own === language)
    .map(([, , markup = '']) => textOf(markup));
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function textOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (each) => entities[each]!);
}
