import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';

/** The server, knowing that its schemas are TypeBox's. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its bodies are as long as whoever sends them likes, and so may take as long. */
    readonly takesLongBodies?: boolean;
  }

  interface FastifyRequest {
    /** The partner that calls; set before the handler of a partner's route, 0 where there is none. */
    partnerId: number;
    /** The customer it acts for, by a user token or as its user; null if none, or none is asked for. */
    customerId: number | null;
    /** Who is signed in to the console, if the request comes from there. */
    session: ConsoleSession | null;
  }
}
