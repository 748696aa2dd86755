import { describe, expect, it } from 'vitest';
import { refusalIn } from './send-file.ts';

describe('what a storage says when it refuses', () => {
  it('is its message, as text', () => {
    const answer =
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Use &lt;15&gt; min &amp;amp; less</Message></Error>';
    expect(refusalIn(answer, 403)).toBe('The storage refused the file: Use <15> min &amp; less');
  });

  it('is the status if there is no message', () => {
    expect(refusalIn('', 507)).toBe('The storage refused the file (507).');
    expect(refusalIn('<html>no</html>', 502)).toBe('The storage refused the file (502).');
  });
});
