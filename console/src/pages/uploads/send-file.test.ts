import { describe, expect, it } from 'vitest';
import { refusalIn } from './send-file.ts';

describe('the reason of a refused upload', () => {
  it('is the unescaped message of the storage', () => {
    const answer =
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Use &lt;15&gt; min &amp;amp; less</Message></Error>';
    expect(refusalIn(answer, 403)).toBe('The storage refused the file: Use <15> min &amp; less');
  });

  it('is the status if there is no message', () => {
    expect(refusalIn('', 507)).toBe('The storage refused the file (status 507).');
    expect(refusalIn('<html>no</html>', 502)).toBe('The storage refused the file (status 502).');
  });
});
