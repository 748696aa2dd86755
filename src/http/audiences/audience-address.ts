/** Audiences answer under two versions, in exactly the same way. */

export interface AudienceAddress {
  /** What the resource's paths begin with. */
  readonly path: string;
  /** What OpenAPI says of an operation there. */
  describe(operation: DescribedOperation): OperationSchema;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

interface OperationSchema extends DescribedOperation {
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
  /** The operation that it is another address of; the reference page tells of both in one place. */
  readonly 'x-same-as'?: string;
}

const access = {
  tags: ['Audience ingest'],
  // With a user token the request is about one customer's audiences, without it about all.
  security: [{ apiKey: [] }, { apiKey: [], userToken: [] }],
};

const current: AudienceAddress = {
  path: '/v2/firstparty/audience',
  describe: (operation) => ({ ...access, ...operation }),
};

const earlier: AudienceAddress = {
  path: '/v1/firstparty/audience',
  describe: ({ operationId, summary }) => ({
    ...access,
    operationId: `${operationId}V1`,
    summary: `${summary} (v1)`,
    description: `The same as \`${operationId}\`, which is under ${current.path}.`,
    'x-same-as': operationId,
  }),
};

export const audienceAddresses: readonly AudienceAddress[] = [current, earlier];
