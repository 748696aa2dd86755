import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';
import type { AuditChange } from '../../records/database/audit-entries.ts';

/** The Fastify server with TypeBox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** When an operation was deprecated and when it will be removed. Dates such as `2027-01-31`. */
interface Deprecation {
  readonly since: string;
  /** Undefined: not decided yet. */
  readonly sunset?: string;
  /** The page that says what to use instead. */
  readonly link: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Clients read it again and again, so its responses have an ETag. */
    readonly isPolled?: boolean;
    readonly deprecation?: Deprecation;
    /** Bodies have no size limit, so they have no deadline. */
    readonly takesLongBodies?: boolean;
  }

  interface FastifyRequest {
    /** The calling partner, set before the handler of a partner's route. 0 if there is none. */
    partnerId: number;
    /** The API key of that partner, also the one of a console session. 0 if there is none. */
    apiKeyId: number;
    /** The customer of the user token or of the signed-in user. Null if there is none. */
    customerId: number | null;
    /** The console session, if the request has one. */
    session: ConsoleSession | null;
    /** The app that acts for a user, if the user token came from one. */
    appGrant: { readonly clientId: string; readonly userId: number } | null;
    /** What the request changes, for the audit log. */
    change: AuditChange | null;
  }
}
