import type { paths } from '../../../../src/client/openapi.ts';

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
type Listed<Path extends keyof paths> = Answer<Path> extends (infer Each)[] ? Each : never;

export type Status = Answer<'/admin/v1/status'>;
export type Lane = Status['queue'][number];
export type Readiness = Answer<'/readyz'>;
export type Partner = Listed<'/admin/v1/partners'>;
export type Customer = Listed<'/admin/v1/customers'>;
export type User = Listed<'/admin/v1/customers/{customer_id}/users'>;
export type SignedIn = Listed<'/admin/v1/sessions'>;
