import { fieldProblem, type Problem } from '../../api/problem.ts';
import { TextField } from '../../parts/field.tsx';
import type { BucketCredentials } from './import-body.ts';
import { pathProblem } from './path-field.tsx';

interface OwnBucketFieldsProps {
  readonly path: string;
  readonly credentials: BucketCredentials;
  readonly problem: Problem | undefined;
  onPath(path: string): void;
  onCredentials(change: Partial<BucketCredentials>): void;
}

/** The address of files in the partner's own bucket, and the credentials that read it. */
export function OwnBucketFields(props: OwnBucketFieldsProps) {
  const { path, credentials, problem, onPath, onCredentials } = props;
  const common = { required: true, autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <TextField
        {...common}
        label="Path"
        hint="s3://your-bucket/path of a file, or of a folder to include several."
        problem={pathProblem(problem)}
        value={path}
        placeholder="s3://"
        onChange={(event) => onPath(event.currentTarget.value)}
      />
      <TextField
        {...common}
        label="Region"
        problem={fieldProblem(problem, 'credentials/region')}
        value={credentials.region}
        placeholder="us-east-1"
        onChange={(event) => onCredentials({ region: event.currentTarget.value.trim() })}
      />
      <TextField
        {...common}
        label="Access key ID"
        value={credentials.accessKeyId}
        maxLength={128}
        onChange={(event) => onCredentials({ accessKeyId: event.currentTarget.value.trim() })}
      />
      <TextField
        {...common}
        label="Secret access key"
        hint="Stored encrypted, and deleted when the import ends."
        type="password"
        autoComplete="new-password"
        value={credentials.secretAccessKey}
        maxLength={256}
        onChange={(event) => onCredentials({ secretAccessKey: event.currentTarget.value.trim() })}
      />
    </>
  );
}
