import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type ErrorCode, type InputIssue, TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** When it happens and what to do, for the reference page. */
  readonly meaning: string;
}

/** Every problem the service responds with. The only place that maps codes to HTTP statuses. */
export const problemKinds: Readonly<Record<ErrorCode, ProblemKind>> = {
  invalid_input: {
    status: 400,
    title: 'Invalid input',
    meaning:
      'A field is missing, unknown, of the wrong type or out of range. `errors` names each field with a JSON pointer. Strings are not converted to numbers, or numbers to strings.',
  },
  malformed_body: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The body is not valid JSON in UTF-8, or the URL is malformed.',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    meaning:
      'The `Authorization: Bearer …` header is missing, or its key or token is unknown or revoked. Or the `x-user-token` is invalid or belongs to another partner. In the console: you are not signed in, or the session has ended.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    meaning:
      'The operator has disabled access for the partner or customer. In the console: the signed-in account may not do this, or the `x-csrf-token` header is missing or invalid.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning:
      'The path or the record does not exist. A record that belongs to another partner or customer gives the same response.',
  },
  not_computed_yet: {
    status: 404,
    title: 'Not computed yet',
    meaning:
      'The audience exists, but its report has not been computed yet. The report is computed when the first load ends, and again by the first load after a clear. Try again later.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning:
      'The path does not support this method. The `Allow` header lists the methods it supports.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The headers did not arrive within 15 seconds. Send the request again.',
  },
  foreign_key_taken: {
    status: 409,
    title: 'Partner foreign key taken',
    meaning: 'Another of your attributes already has this partner_foreign_key.',
  },
  limit_reached: {
    status: 409,
    title: 'Limit reached',
    meaning:
      'There are already as many records, rows or devices as the limit or quota allows. `detail` names it. Delete or revoke records that are not used, or ask the operator for a higher limit.',
  },
  email_taken: {
    status: 409,
    title: 'E-mail taken',
    meaning: 'Another user already signs in with this email, at this customer or another one.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency key in use',
    meaning:
      'The first request with this `Idempotency-Key` is still in progress. Send the same request again shortly to get its response.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'A body may have at most 1 MiB. This limit does not apply to objects.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'Send the body as `Content-Type: application/json`, or as another type that the operation accepts.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning:
      'This `Idempotency-Key` was already used with a different body. Use a new key for each new request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The API key has used up its requests for this minute, or the partner its quota for this month; or the caller has too many open streams, or sign-in has failed too often. Try again after `Retry-After` seconds.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers of a request, including its URL, may have at most 16 KiB.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'An error in the service. Report the `request_id` to the operator.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    meaning: 'The database is unavailable. Try again after `Retry-After` seconds.',
  },
  storage_full: {
    status: 507,
    title: 'Storage full',
    meaning:
      'The storage has too little free space for the object. The existing object, if any, is unchanged.',
  },
  quota_exceeded: {
    status: 507,
    title: 'Storage quota exceeded',
    meaning:
      "The object does not fit into the partner's storage quota. The existing object, if any, is unchanged. Delete objects, or raise the quota.",
  },
};

// Limits that keep the response to an invalid body from being many times its size.
const maximumIssues = limits.issuesShown.most;
const maximumPointerCharacters = 256;

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A link to the description of the problem.' }),
    title: Type.String({ description: 'A short name for the kind of problem.' }),
    status: Type.Integer({ description: 'The HTTP status of the response.' }),
    detail: Type.String({
      description: 'What is wrong with this request, and what to send instead.',
    }),
    code: Type.Enum(Object.keys(problemKinds), {
      description: 'The kind of problem. The list of codes is closed.',
    }),
    request_id: Type.String({
      description:
        'Identifies the request in the logs of the service. The same as in the X-Request-Id header.',
    }),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), message: Type.String() }), {
        description: `For invalid_input only: up to ${maximumIssues} issues. \`pointer\` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV.`,
      }),
    ),
  },
  { description: 'Problem details (RFC 9457).' },
);

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly errors?: readonly InputIssue[];
}

export function problemOf(error: TributaryError, requestId: string): Problem {
  const { status, title } = problemKinds[error.code];
  return {
    type: `/docs#problem-${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.issues.length > 0 ? { errors: error.issues } : {}),
  };
}

/** Responds to any thrown error with a problem, and logs those that concern the operator. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const known = toTributaryError(error, request);
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed');
  if (known.code === 'unavailable') {
    request.log.warn({ err: error }, 'database unavailable');
    reply.header('retry-after', '2');
  }
  if (known.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  // Fastify closes the connection if it has not read the whole body. A client that is still sending
  // would be cut off before it reads the response, so the rest of the body is drained instead.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  // Of a response that failed before its first byte was sent.
  reply.removeHeader('content-encoding');
  const problem = problemOf(known, request.id);
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problem);
}

function toTributaryError(error: unknown, request: FastifyRequest): TributaryError {
  if (error instanceof TributaryError) {
    // The address of the database and the cause are only logged.
    return error.code === 'unavailable'
      ? new TributaryError('unavailable', 'The database is unavailable. Try again shortly.')
      : error;
  }
  // The client disconnected before its body was complete.
  if (error === request.raw.errored) {
    return new TributaryError(
      'malformed_body',
      'The connection was closed before the body was complete.',
    );
  }
  const thrown = error as Partial<FastifyError>;
  if (thrown.validation) {
    return invalidRequest(inputIssues(thrown.validation, thrown.validationContext));
  }
  switch (thrown.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new TributaryError(
        'unsupported_media_type',
        `Send the body as ${mediaTypesOf(request)}.`,
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new TributaryError(
        'body_too_large',
        'The body is larger than 1 MiB. Send less in one request.',
      );
    default:
  }
  // Every other 4xx error of Fastify is about the form of the request.
  if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500) {
    return new TributaryError('malformed_body', `The request cannot be parsed: ${thrown.message}.`);
  }
  return new TributaryError('internal', 'Internal error. Report the request_id to the operator.');
}

function mediaTypesOf(request: FastifyRequest): string {
  const body = request.routeOptions.schema?.body as { content?: object } | undefined;
  return Object.keys(body?.content ?? { 'application/json': body })
    .map((type) => `Content-Type: ${type}`)
    .join(' or ');
}

/** An error that lists the issues, up to the limit. */
export function invalidRequest(issues: readonly InputIssue[]): TributaryError {
  const listed = issues.slice(0, maximumIssues);
  const more = issues.length > maximumIssues ? ` And ${issues.length - maximumIssues} more.` : '';
  return new TributaryError('invalid_input', sentences(listed) + more, { issues: listed });
}

type ValidationError = NonNullable<FastifyError['validation']>[number];

/** The validator's errors in our own words. Outside the body, the pointer is a plain name. */
export function inputIssues(
  errors: readonly ValidationError[],
  context: FastifyError['validationContext'] = 'body',
): InputIssue[] {
  const issues = errors.map((error) => inputIssue(error, context));
  if (context === 'body') return issues;
  return issues.map(({ pointer, message }) => ({ pointer: pointer.slice(1), message }));
}

function inputIssue(error: ValidationError, context: string): InputIssue {
  const { instancePath, keyword, params } = error;
  const name = (member: unknown) => `${instancePath}/${pointerPart(String(member))}`;
  switch (keyword) {
    case 'additionalProperties':
      return {
        pointer: name(params.additionalProperty),
        message: `is not a known ${context === 'querystring' ? 'parameter' : 'field'}`,
      };
    case 'required':
      return { pointer: name(params.missingProperty), message: 'is required' };
    case 'const':
      return { pointer: instancePath, message: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'enum':
      return {
        pointer: instancePath,
        message: `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`,
      };
    case 'uniqueItems':
      return { pointer: name(params.j), message: `is the same as ${name(params.i).slice(1)}` };
    case 'pattern':
      return { pointer: instancePath, message: 'contains characters that are not allowed' };
    default:
      return { pointer: instancePath, message: error.message ?? 'is invalid' };
  }
}

function pointerPart(name: string): string {
  const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return escaped.length <= maximumPointerCharacters
    ? escaped
    : `${escaped.slice(0, maximumPointerCharacters).toWellFormed()}…`;
}

function sentences(issues: readonly InputIssue[]): string {
  return issues
    .map(
      ({ pointer, message }) =>
        `${pointer === '' ? 'The body' : pointer.replace(/^\//, '')} ${message}.`,
    )
    .join(' ');
}
