import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type ErrorCode, type InputIssue, TributaryError } from '../../domain/errors.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** For the reference page: when it happens and what to do. */
  readonly meaning: string;
}

/** Every problem that the service answers with: the only place where codes meet HTTP statuses. */
export const problemKinds: Readonly<Record<ErrorCode, ProblemKind>> = {
  invalid_input: {
    status: 400,
    title: 'Invalid input',
    meaning:
      'A field is missing, unknown, of the wrong type or out of its limits. `errors` names each with a JSON pointer. Numbers are not read from strings, nor strings from numbers.',
  },
  malformed_body: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The body is not JSON in UTF-8, or the address is not well-formed.',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    meaning:
      'The `Authorization: Bearer …` header is missing, or its key or token is unknown or revoked; or an `x-user-token` came along that is not valid, or not for this partner. In the console: nobody is signed in, or the session has ended.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    meaning:
      "Only of the console's sessions: whoever is signed in may not do this, or the `x-csrf-token` is missing with which the console shows that the request is its own.",
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning:
      'There is no such path, or no such record. A record of another partner, or of another customer, is answered in the same words.',
  },
  not_computed_yet: {
    status: 404,
    title: 'Not computed yet',
    meaning:
      'The audience exists, but its report does not: it comes with the first load that ends, and again with the first after a clear. Try again later.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, the method does not; `Allow` lists those that do.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The headers did not arrive within 15 seconds. Send the request again.',
  },
  foreign_key_taken: {
    status: 409,
    title: 'Partner foreign key taken',
    meaning: 'Another of your attributes has this partner_foreign_key.',
  },
  email_taken: {
    status: 409,
    title: 'E-mail taken',
    meaning: 'Another user, of this customer or another, signs in with this e-mail.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency key in use',
    meaning:
      'The first request with this `Idempotency-Key` is still under way. Send the same again a little later to get its answer.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'A body, objects apart, may have at most 1 MiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'Send the body as `Content-Type: application/json`, or in another type that the operation names.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning:
      'This `Idempotency-Key` came with another body before. Use a key of its own for each request that is to take effect.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The API key has made all the requests it may make in a minute, or follows too many jobs at once; or signing in has failed too often. Try again after `Retry-After` seconds.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers of a request, its address included, may have at most 16 KiB.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'A fault of the service. Tell the operator the `request_id`.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    meaning: 'The database does not answer at the moment. Try again after `Retry-After` seconds.',
  },
  storage_full: {
    status: 507,
    title: 'Storage full',
    meaning: 'There is no room left for the object. The one that was there before is unchanged.',
  },
};

/** What a refusal says at most, so that a body full of faults does not come back many times its size. */
const listedIssues = 50;
const shownPointerCharacters = 256;

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'Where the problem is described.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What was wrong, and what to send instead.' }),
    code: Type.Enum(Object.keys(problemKinds), { description: 'One of a closed set.' }),
    request_id: Type.String({ description: 'Also in the X-Request-Id header.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), message: Type.String() }), {
        description: `For invalid_input: the faults, up to ${listedIssues}, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV.`,
      }),
    ),
  },
  { description: 'RFC 9457 problem details.' },
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

/** Answers whatever was thrown, and logs what the operator should know of. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const ours = toTributaryError(error, request);
  if (ours.code === 'internal') request.log.error({ err: error }, 'request failed');
  if (ours.code === 'unavailable') {
    request.log.warn({ err: error }, 'database away');
    reply.header('retry-after', '2');
  }
  if (ours.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  // The framework closes the connection on a body it does not read to its end. A client that is
  // still sending would be cut off before it sees the answer, so the rest is let run out instead.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  const problem = problemOf(ours, request.id);
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problem);
}

function toTributaryError(error: unknown, request: FastifyRequest): TributaryError {
  if (error instanceof TributaryError) {
    // Where the database lives, and what exactly is wrong with it, is for the log only.
    return error.code === 'unavailable'
      ? refusal('unavailable', 'The database does not answer at the moment: try again shortly.')
      : error;
  }
  // The client went away in the middle of its own body: no fault of ours, and nobody to answer.
  if (error === request.raw.errored) {
    return refusal('malformed_body', 'The connection broke off before the body was complete.');
  }
  const thrown = error as Partial<FastifyError>;
  if (thrown.validation) {
    return invalidRequest(inputIssues(thrown.validation, thrown.validationContext));
  }
  switch (thrown.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refusal('unsupported_media_type', `Send the body as ${mediaTypesOf(request)}.`);
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusal('body_too_large', 'The body has more than 1 MiB: send less in one request.');
    default:
  }
  // Whatever else the framework itself refuses is about the form of the request.
  if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500) {
    return refusal('malformed_body', `The request cannot be read: ${thrown.message}.`);
  }
  return refusal('internal', 'Something went wrong on our side. The request_id helps to find it.');
}

function refusal(code: ErrorCode, detail: string): TributaryError {
  return new TributaryError(code, detail);
}

function mediaTypesOf(request: FastifyRequest): string {
  const body = request.routeOptions.schema?.body as { content?: object } | undefined;
  return Object.keys(body?.content ?? { 'application/json': body })
    .map((type) => `Content-Type: ${type}`)
    .join(' or ');
}

/** The refusal of a request for its faults, in the words of the first of them. */
export function invalidRequest(issues: readonly InputIssue[]): TributaryError {
  const listed = issues.slice(0, listedIssues);
  const more = issues.length > listedIssues ? ` And ${issues.length - listedIssues} more.` : '';
  return new TributaryError('invalid_input', sentences(listed) + more, { issues: listed });
}

type ValidationFault = NonNullable<FastifyError['validation']>[number];

/** What the validator found, in our own words. What has no place in the body is named. */
export function inputIssues(
  faults: readonly ValidationFault[],
  context: FastifyError['validationContext'] = 'body',
): InputIssue[] {
  const issues = faults.map((fault) => inputIssue(fault, context));
  if (context === 'body') return issues;
  return issues.map(({ pointer, message }) => ({ pointer: pointer.slice(1), message }));
}

function inputIssue(fault: ValidationFault, context: string): InputIssue {
  const { instancePath, keyword, params } = fault;
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
      return { pointer: instancePath, message: 'has characters that are not allowed there' };
    default:
      return { pointer: instancePath, message: fault.message ?? 'is not valid' };
  }
}

function pointerPart(name: string): string {
  const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return escaped.length <= shownPointerCharacters
    ? escaped
    : `${escaped.slice(0, shownPointerCharacters).toWellFormed()}…`;
}

function sentences(issues: readonly InputIssue[]): string {
  return issues
    .map(
      ({ pointer, message }) =>
        `${pointer === '' ? 'The body' : pointer.replace(/^\//, '')} ${message}.`,
    )
    .join(' ');
}
