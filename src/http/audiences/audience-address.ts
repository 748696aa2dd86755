/** Audiences have two addresses, /v2 and /v1, which behave the same. */

export interface AudienceAddress {
  /** The prefix of the resource's paths. */
  readonly path: string;
  /** The OpenAPI description of an operation at this address. */
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
  /** The operation of which this is another address. The reference page shows both together. */
  readonly 'x-same-as'?: string;
}

const access = {
  tags: ['Audience ingest'],
  // With a user token the request concerns one customer's audiences, without it all of them.
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
    description: `The same as \`${operationId}\` at ${current.path}.`,
    'x-same-as': operationId,
  }),
};

export const audienceAddresses: readonly AudienceAddress[] = [current, earlier];
