import type { paths } from '../../../../src/client/openapi.ts';
import type { Answered } from '../../api/wire.ts';

/** How an import is or was queued, without credentials. */
export type ImportRequest = Answered<'/v1/console/imports/{import_log_id}/request'>;

type Body = paths['/v1/marketplace/import']['post']['requestBody']['content']['application/json'];

/** Keys of a partner's own bucket. */
export type BucketCredentials = Required<
  Pick<NonNullable<Body['credentials']>, 'accessKeyId' | 'secretAccessKey' | 'region'>
>;

export const plainRequest: ImportRequest = {
  file_path: '',
  key_type: 1,
  path_type: 0,
  compressed: null,
  mode: 'merge',
  dry_run: false,
};

/** The body that queues an import. Credentials belong only to the partner's own bucket. */
export function importBody(
  { compressed, ...request }: ImportRequest,
  credentials?: BucketCredentials,
): Body {
  return {
    ...request,
    ...(compressed === null ? {} : { compressed }),
    ...(request.path_type === 1 && credentials ? { credentials } : {}),
  };
}

interface Ended {
  readonly status: number;
  readonly log_type: number;
}

/** What can be done with an import that has ended: apply a dry run, or try again after a failure. */
export function nextRun({ status, log_type }: Ended): 'import' | 'again' | undefined {
  if (status === 3 && (log_type === 0 || log_type === 2)) return 'again';
  return status === 2 && log_type === 2 ? 'import' : undefined;
}
