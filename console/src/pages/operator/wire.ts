import type { paths } from '../../../../src/client/openapi.ts';
import type { Answered } from '../../api/wire.ts';

type Listed<Path extends keyof paths> = Answered<Path> extends (infer Each)[] ? Each : never;

export type Status = Answered<'/admin/v1/status'>;
export type Lane = Status['queue'][number];
export type TrendDay = Listed<'/admin/v1/trends'>;
export type Readiness = Answered<'/readyz'>;
export type Partner = Listed<'/admin/v1/partners'>;
export type Customer = Listed<'/admin/v1/customers'>;
export type User = Listed<'/admin/v1/customers/{customer_id}/users'>;
export type SignedIn = Listed<'/admin/v1/sessions'>;
export type App = Listed<'/admin/v1/partners/{partner_id}/oauth-apps'>;
export type Grant = Listed<'/admin/v1/oauth-grants'>;
export type SigningKey = Listed<'/admin/v1/oauth-keys'>;
