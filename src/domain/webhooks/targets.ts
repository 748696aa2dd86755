/**
 * Where webhooks may go. `public`: to https addresses of the public internet. `any`: also to http, and to
 * private networks.
 */
export const webhookTargets = ['public', 'any'] as const;

export type WebhookTargets = (typeof webhookTargets)[number];
