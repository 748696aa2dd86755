import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { environmentLines, profileLines, uploadLine } from './storage-lines.ts';

const access = {
  endpoint: 'http://127.0.0.1:9000',
  region: 'us-east-1',
  bucket: 'tributary',
  prefix: 'partner-1/',
  accessKeyId: 'TRIB1',
  secretAccessKey: 'a/b+c=',
};

test('a plain word is not quoted', () => {
  expect(environmentLines(access)).toContain('export AWS_SECRET_ACCESS_KEY=a/b+c=\n');
  const upload = 'aws s3 cp devices.csv s3://tributary/partner-1/';
  expect(uploadLine(access, 'shell')).toBe(upload);
  expect(uploadLine(access, 'profile')).toBe(`${upload} --profile tributary`);
});

test('a shell reads back any secret unchanged', () => {
  const secretAccessKey = `$(id)'"\\!#;&|<>*\`{~`;
  const lines = environmentLines({ ...access, secretAccessKey });
  const script = `${lines}\nprintf %s "$AWS_SECRET_ACCESS_KEY"`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(secretAccessKey);
  const profile = profileLines({ ...access, secretAccessKey }).replaceAll(
    /^aws /gm,
    'printf "%s\\n" ',
  );
  const words = execFileSync('sh', ['-c', profile], { encoding: 'utf8' }).split('\n');
  expect(words).toContain(secretAccessKey);
});
