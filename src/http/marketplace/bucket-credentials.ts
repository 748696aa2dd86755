import { type Static, Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { isAwsRegion } from '../../domain/source-path.ts';
import type { BucketCredentials } from '../../records/marketplace/import-logs.ts';

/** What partners' own buckets may be. */
export interface PartnerBuckets {
  /** Regions in addition to those of AWS. */
  readonly regions: readonly string[];
  /** The ARN that assumes roles of partners. Null: the service assumes none. */
  readonly rolePrincipal: string | null;
}

const Secret = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7e]+$', description });

export const BucketCredentialsSchema = Type.Object(
  {
    accessKeyId: Type.Optional(Secret(128, 'Access key ID. Required without a role.')),
    secretAccessKey: Type.Optional(Secret(256, 'Secret access key. Required without a role.')),
    sessionToken: Type.Optional(
      Secret(4_096, 'Only for temporary keys. They must be valid until the job has ended.'),
    ),
    roleArn: Type.Optional(
      Type.String({
        maxLength: 2_048,
        // A role, without the characters that IAM does not allow in paths and names.
        pattern: '^arn:aws[a-z-]{0,20}:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]{1,576}$',
        description:
          'Instead of keys: a role that the service assumes. Its trust policy must name the external ID from `GET /v1/marketplace/bucket-role`.',
      }),
    ),
    region: Type.String({
      maxLength: 63,
      description: 'The region of your bucket, for example `us-east-1`.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'Required with path_type 1, not allowed otherwise: the credentials that read your bucket, either keys or a role. They are stored encrypted and deleted when the import ends.',
    examples: [{ accessKeyId: 'AKIA…', secretAccessKey: '…', region: 'us-east-1' }],
  },
);

/** Throws if they are incomplete, or the service cannot use them. */
export function parseBucketCredentials(
  sent: Static<typeof BucketCredentialsSchema>,
  { regions, rolePrincipal }: PartnerBuckets,
): BucketCredentials {
  const { region, accessKeyId, secretAccessKey, sessionToken, roleArn } = sent;
  // The region becomes part of a host name, so only known regions are accepted.
  if (!isAwsRegion(region) && !regions.includes(region)) {
    throw invalidInput(
      '/credentials/region',
      `Unknown region ${JSON.stringify(region)}. Send the region of your bucket, for example us-east-1.`,
    );
  }
  if (roleArn !== undefined) {
    if (accessKeyId !== undefined || secretAccessKey !== undefined || sessionToken !== undefined) {
      throw invalidInput(
        '/credentials',
        'credentials must have either keys or a roleArn, not both.',
      );
    }
    if (rolePrincipal === null) {
      throw invalidInput(
        '/credentials/roleArn',
        'This service does not assume roles. Send an accessKeyId and a secretAccessKey instead.',
      );
    }
    // A role of the operator may trust the service for other purposes, and without an external ID.
    if (accountOf(roleArn) === accountOf(rolePrincipal)) {
      throw invalidInput(
        '/credentials/roleArn',
        "This role is in the AWS account of the service. Send the ARN of a role in your bucket's account.",
      );
    }
    return { roleArn, region };
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw invalidInput(
      '/credentials',
      'credentials must have an accessKeyId and a secretAccessKey, or a roleArn.',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }), region };
}

function accountOf(arn: string): string | undefined {
  return arn.split(':')[4];
}
