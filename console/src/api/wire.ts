import type { paths } from '../../../src/client/openapi.ts';

/** Wire types, all derived from the service's OpenAPI document. */

/** The JSON body that a path returns for GET. */
export type Answered<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

export type SessionWire = Answered<'/v1/console/session'>;
export type ListedSession = Answered<'/v1/console/sessions'>[number];
export type AudienceWire = Answered<'/v1/console/audiences'>[number];
export type JobWire = Answered<'/v1/console/jobs'>[number];
export type AuthorizationWire = Answered<'/v1/console/authorizations/{uid}'>;
export type ConnectedApp = Answered<'/v1/console/apps'>[number];
