import { type BucketContext, type Call, type Operation, requireAccess } from './call/call.ts';
import {
  createBucket,
  getBucketSetting,
  getObjectSetting,
  headBucket,
  listBuckets,
} from './operations/buckets.ts';
import { copyObject } from './operations/copy-object.ts';
import { deleteObject, deleteObjects } from './operations/delete-objects.ts';
import { getObject, headObject } from './operations/get-object.ts';
import { listObjectsV1, listObjectsV2 } from './operations/list-objects.ts';
import { listMultipartUploads, listParts } from './operations/list-uploads.ts';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
} from './operations/multipart-upload.ts';
import { putObject } from './operations/put-object.ts';
import { uploadPart, uploadPartCopy } from './operations/upload-part.ts';
import { S3Error } from './wire/s3-error.ts';

/**
 * Query names that address something other than the object or bucket itself. Unsupported ones must be
 * recognised all the same: `PUT ?acl` would otherwise replace the object.
 */
const subresources = new Set(
  `accelerate acl analytics attributes cors encryption intelligent-tiering inventory legal-hold
  lifecycle location logging metadataConfiguration metadataTable metrics notification object-lock
  ownershipControls policy policyStatus publicAccessBlock renameObject replication requestPayment
  restore retention select session tagging torrent versioning versions website`.split(/\s+/),
);

/** Finds the operation of a request and checks the caller's access to the bucket and key. */
export function operationFor(
  call: Call,
  bucket: string | undefined,
  context: BucketContext,
): Operation {
  if (bucket === undefined) return serviceOperation(call);
  // Callers must not learn whether other buckets exist.
  if (bucket !== context.bucket) throw new S3Error('AccessDenied');
  if (call.key === '') return bucketOperation(call);
  requireAccess(call, call.key);
  return objectOperation(call);
}

function serviceOperation({ method }: Call): Operation {
  if (method === 'GET') return listBuckets;
  throw new S3Error('MethodNotAllowed');
}

function bucketOperation({ method, parameters }: Call): Operation {
  const hasSubresource = [...parameters.keys()].some((name) => subresources.has(name));
  switch (method) {
    case 'GET':
      if (hasSubresource) return getBucketSetting;
      if (parameters.has('uploads')) return listMultipartUploads;
      return parameters.get('list-type') === '2' ? listObjectsV2 : listObjectsV1;
    case 'HEAD':
      return headBucket;
    case 'PUT':
      if (hasSubresource) throw new S3Error('NotImplemented');
      return createBucket;
    case 'POST':
      if (parameters.has('delete')) return deleteObjects;
      throw new S3Error('NotImplemented');
    case 'DELETE':
      throw new S3Error('AccessDenied');
    default:
      throw new S3Error('MethodNotAllowed');
  }
}

function objectOperation({ method, parameters, headers }: Call): Operation {
  const version = parameters.get('versionId') ?? 'null';
  if (version !== 'null') throw new S3Error('NoSuchVersion');
  const hasSubresource = [...parameters.keys()].some((name) => subresources.has(name));
  if (hasSubresource) {
    if (method === 'GET') return getObjectSetting;
    throw new S3Error('NotImplemented');
  }
  const isMultipart = parameters.has('uploadId') || parameters.has('partNumber');
  const isCopy = headers.has('x-amz-copy-source');
  switch (method) {
    case 'GET':
      return parameters.has('uploadId') ? listParts : getObject;
    case 'HEAD':
      return headObject;
    case 'PUT':
      if (isMultipart) return isCopy ? uploadPartCopy : uploadPart;
      return isCopy ? copyObject : putObject;
    case 'POST':
      if (parameters.has('uploads')) return createMultipartUpload;
      if (isMultipart) return completeMultipartUpload;
      throw new S3Error('MethodNotAllowed');
    case 'DELETE':
      return isMultipart ? abortMultipartUpload : deleteObject;
    default:
      throw new S3Error('MethodNotAllowed');
  }
}
