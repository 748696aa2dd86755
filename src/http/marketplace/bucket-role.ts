import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { Nullable } from '../server/wire.ts';

const principalExample = 'arn:aws:iam::123456789012:user/tributary';
const externalIdExample = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const BucketRole = Type.Object({
  external_id: Type.String({
    description:
      'The service sends it when it assumes your role. It is yours alone and never changes.',
    examples: [externalIdExample],
  }),
  principal: Nullable(Type.String(), {
    description: 'The ARN that assumes your role. Null if this service does not assume roles.',
    examples: [principalExample],
  }),
  trust_policy: Nullable(Type.Object({}, { additionalProperties: true }), {
    description: 'The trust policy for your role. Null if this service does not assume roles.',
    examples: [trustPolicy(principalExample, externalIdExample)],
  }),
});

/** What a partner needs to let the service assume a role. */
export function registerBucketRole(
  app: App,
  records: Records,
  auth: Auth,
  principal: string | null,
): void {
  app.get(
    '/v1/marketplace/bucket-role',
    partnerRoute(auth, 'Marketplace import', {
      operationId: 'getBucketRole',
      summary: 'How to let the service read your bucket with a role',
      description:
        'Returns the trust policy for a role in your AWS account. Also allow the role `s3:ListBucket` on the bucket and `s3:GetObject` on its objects. Then send its ARN as `roleArn` in `credentials`. Always keep the condition on the external ID: without it, other partners of this service could name your role.',
      response: { 200: BucketRole },
    }),
    async ({ partnerId }) => {
      const externalId = await records.partners.externalId(partnerId);
      return {
        external_id: externalId,
        principal,
        trust_policy: principal === null ? null : trustPolicy(principal, externalId),
      };
    },
  );
}

function trustPolicy(principal: string, externalId: string) {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: principal },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': externalId } },
      },
    ],
  };
}
