/** S3's error codes with S3's status and message. */
const s3Errors = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs'],
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [
    403,
    "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
  ],
  AllAccessDisabled: [403, 'All access to this resource has been disabled.'],
  AuthorizationHeaderMalformed: [
    400,
    'The authorization header is malformed; it must be AWS4-HMAC-SHA256 with Credential, SignedHeaders and Signature.',
  ],
  AuthorizationQueryParametersError: [
    400,
    'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
  ],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  BadRequest: [400, 'An error occurred when parsing the HTTP request.'],
  BucketAlreadyOwnedByYou: [
    409,
    'Your previous request to create the named bucket succeeded and you already own it.',
  ],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  IncompleteBody: [
    400,
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  ],
  InsufficientStorage: [507, 'There is not enough space to store the object.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidDigest: [400, 'The Content-MD5 you specified is not valid.'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartOrder: [
    400,
    'The list of parts was not in ascending order. The parts list must be specified in order by part number.',
  ],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema',
  ],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist'],
  NoSuchObjectLockConfiguration: [
    404,
    'The specified object does not have a ObjectLock configuration',
  ],
  NoSuchPublicAccessBlockConfiguration: [
    404,
    'The public access block configuration was not found',
  ],
  NoSuchTagSet: [404, 'The TagSet does not exist'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration'],
  NotImplemented: [501, 'A header you provided implies functionality that is not implemented'],
  ObjectLockConfigurationNotFoundError: [
    404,
    'Object Lock configuration does not exist for this bucket',
  ],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  // Not a code of AWS, which has no quotas. This is how Ceph answers; clients do not try again.
  QuotaExceeded: [403, 'The storage quota is used up.'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found'],
  RequestHeaderSectionTooLarge: [
    400,
    'Your request header and query parameters exceed the maximum allowed size.',
  ],
  RequestTimeout: [
    400,
    'Your socket connection to the server was not read from or written to within the timeout period.',
  ],
  RequestTimeTooSkewed: [
    403,
    'The difference between the request time and the current time is too large.',
  ],
  ServerSideEncryptionConfigurationNotFoundError: [
    404,
    'The server side encryption configuration was not found',
  ],
  ServiceUnavailable: [503, 'Service is unable to handle request. Please try again.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type S3ErrorCode = keyof typeof s3Errors;

export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: S3ErrorCode;
  readonly status: number;
  /** Elements that S3 adds to the response for this error. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, message?: string, details: Readonly<Record<string, string>> = {}) {
    super(message ?? s3Errors[code][1]);
    this.code = code;
    this.status = s3Errors[code][0];
    this.details = details;
  }
}

export function invalidArgument(message: string, name: string, value: string): S3Error {
  return new S3Error('InvalidArgument', message, { ArgumentName: name, ArgumentValue: value });
}
