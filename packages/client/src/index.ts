export type { paths } from './openapi.ts';
export { ConnectionError, LoadFailed, type ProblemCode, ProblemError } from './problems.ts';
export {
  type Attribute,
  type Audience,
  type AudienceDetails,
  createTributary,
  type ImportLog,
  type NewImport,
  type Tributary,
  type TributaryOptions,
} from './tributary.ts';
export type { UploadOptions } from './upload/upload.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhooks.ts';
