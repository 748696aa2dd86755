import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonFolder, copyCommand, pathInFolder } from './upload-place.ts';

const runs = process.env.TRIBUTARY_SOAK === '1' ? 10_000 : 200;

describe('paths of uploads', () => {
  it('are the name alone, or the folder and the name', () => {
    expect(pathInFolder('', 'a.csv')).toBe('a.csv');
    expect(pathInFolder(' / ', 'a.csv')).toBe('a.csv');
    for (const folder of ['x/y', '/x/y/', 'x/y//', ' x/y ']) {
      expect(pathInFolder(folder, 'a.csv')).toBe('x/y/a.csv');
    }
  });

  it('have a common folder, which is never the prefix itself', () => {
    expect(commonFolder(['x/a', 'x/b'])).toBe('x/');
    expect(commonFolder(['x/y/a', 'x/y/b', 'x/z'])).toBe('x/');
    expect(commonFolder(['x/y/a', 'x/y/b'])).toBe('x/y/');
    expect(commonFolder(['x/a'])).toBeNull();
    expect(commonFolder(['a', 'x/b'])).toBeNull();
    expect(commonFolder(['x/b', 'a'])).toBeNull();
    expect(commonFolder(['xy/b', 'x/a'])).toBeNull();
  });

  it('all begin with their common folder', () => {
    const path = fc.array(fc.constantFrom('a', 'b', ''), { minLength: 1 }).map((p) => p.join('/'));
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const folder = commonFolder(paths);
        expect(folder === null || paths.every((each) => each.startsWith(folder))).toBe(true);
      }),
      { numRuns: runs },
    );
  });
});

describe('the copy command', () => {
  const signed =
    'X-Amz-Credential=AKIA%2F20260101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=0';

  it('names the endpoint and region of an embedded store', () => {
    const link = `http://127.0.0.1:9000/tributary/partner-1/big.csv?${signed}`;
    expect(copyCommand(link, 'tributary', 'partner-1/big.csv', 'big.csv')).toBe(
      'aws s3 cp big.csv s3://tributary/partner-1/big.csv --endpoint-url http://127.0.0.1:9000 --region eu-west-1',
    );
  });

  it('omits the endpoint of AWS itself', () => {
    const link = `https://tributary.s3.eu-west-1.amazonaws.com/partner-1/big.csv?${signed}`;
    expect(copyCommand(link, 'tributary', 'partner-1/big.csv', 'big.csv')).toBe(
      'aws s3 cp big.csv s3://tributary/partner-1/big.csv --region eu-west-1',
    );
  });

  it('removes the bucket from the host name of another store', () => {
    const link = `https://tributary.objects.example:8443/p/big.csv?${signed}`;
    expect(copyCommand(link, 'tributary', 'p/big.csv', 'big.csv')).toContain(
      '--endpoint-url https://objects.example:8443 ',
    );
  });

  it('never turns a file name into an option', () => {
    const link = `http://127.0.0.1:9000/b/p/-rf?${signed}`;
    expect(copyCommand(link, 'b', 'p/-rf', '-rf')).toContain('cp ./-rf s3://b/p/-rf');
  });
});
