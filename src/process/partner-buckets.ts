import type { ServingConfig } from '../config/config.ts';
import {
  type AssumableRole,
  type OpenPartnerBucket,
  type StorageErrorClass,
  StorageFault,
} from '../objects/port.ts';
import { loadS3 } from './stores.ts';

/** Opens partners' own buckets, with keys or with roles that the service assumes. */
export function partnerBuckets(
  config: Pick<ServingConfig, 'partnerS3Endpoints' | 'sts'>,
  onError: (error: StorageErrorClass) => void,
): OpenPartnerBucket {
  return async (bucket, { region, ...credentials }) => {
    const { createS3Store } = await loadS3();
    const endpoint = config.partnerS3Endpoints[region] ?? null;
    const ofAws = endpoint === null;
    return createS3Store({
      bucket,
      region,
      endpoint,
      credentials: 'roleArn' in credentials ? keysOfRole(credentials, bucket) : credentials,
      pathStyle: !ofAws,
      checksums: ofAws ? 'when_supported' : 'when_required',
      onError,
    });
  };

  function keysOfRole(role: AssumableRole, bucket: string) {
    return async () => {
      if (!config.sts) {
        throw new StorageFault(
          'access_denied',
          `The service can no longer assume roles, such as ${role.roleArn}. Send keys instead, or ask the operator.`,
        );
      }
      const { assumeRole } = await import('../objects/s3/assume-role.ts');
      return assumeRole(config.sts, role, bucket, onError);
    };
  }
}
