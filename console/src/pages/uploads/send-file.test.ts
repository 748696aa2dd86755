import { describe, expect, it } from 'vitest';
import { refusalIn } from './send-file.ts';

describe('the reason of a refused upload', () => {
  it('is the unescaped message of the storage, with its request ID', () => {
    const answer =
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Use &lt;15&gt; min &amp;amp; less</Message><RequestId>R1</RequestId></Error>';
    expect(refusalIn(answer, 403).problem).toMatchObject({
      detail: 'The storage refused the file: Use <15> min &amp; less',
      requestId: 'R1',
    });
  });

  it('is the status if there is no message', () => {
    expect(refusalIn('', 507).message).toBe('The storage refused the file (status 507).');
    const { problem } = refusalIn('<html>no</html>', 502);
    expect(problem.detail).toBe('The storage refused the file (status 502).');
    expect(problem.requestId).toBeUndefined();
  });
});
