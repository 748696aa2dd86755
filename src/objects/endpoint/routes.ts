import { type Call, type Operation, requireReach, type Site } from './call/call.ts';
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
 * Names in a query that make a request one about something else than the object or the bucket. Those
 * without an operation of ours must not be mistaken for one: `PUT ?acl` would replace the object.
 */
const subresources = new Set(
  `accelerate acl analytics attributes cors encryption intelligent-tiering inventory legal-hold
  lifecycle location logging metadataConfiguration metadataTable metrics notification object-lock
  ownershipControls policy policyStatus publicAccessBlock renameObject replication requestPayment
  restore retention select session tagging torrent versioning versions website`.split(/\s+/),
);

/** Which operation a request asks for, and whether the caller may have it there at all. */
export function operationFor(call: Call, bucket: string | undefined, site: Site): Operation {
  if (bucket === undefined) return serviceOperation(call);
  // Whether there are other buckets is not for callers to find out.
  if (bucket !== site.bucket) throw new S3Error('AccessDenied');
  if (call.key === '') return bucketOperation(call);
  requireReach(call, call.key);
  return objectOperation(call);
}

function serviceOperation({ method }: Call): Operation {
  if (method === 'GET') return listBuckets;
  throw new S3Error('MethodNotAllowed');
}

function bucketOperation({ method, parameters }: Call): Operation {
  const isAboutSetting = [...parameters.keys()].some((name) => subresources.has(name));
  switch (method) {
    case 'GET':
      if (isAboutSetting) return getBucketSetting;
      if (parameters.has('uploads')) return listMultipartUploads;
      return parameters.get('list-type') === '2' ? listObjectsV2 : listObjectsV1;
    case 'HEAD':
      return headBucket;
    case 'PUT':
      if (isAboutSetting) throw new S3Error('NotImplemented');
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
  const isAboutSetting = [...parameters.keys()].some((name) => subresources.has(name));
  if (isAboutSetting) {
    if (method === 'GET') return getObjectSetting;
    throw new S3Error('NotImplemented');
  }
  const isOfUpload = parameters.has('uploadId') || parameters.has('partNumber');
  const isCopy = headers.has('x-amz-copy-source');
  switch (method) {
    case 'GET':
      return parameters.has('uploadId') ? listParts : getObject;
    case 'HEAD':
      return headObject;
    case 'PUT':
      if (isOfUpload) return isCopy ? uploadPartCopy : uploadPart;
      return isCopy ? copyObject : putObject;
    case 'POST':
      if (parameters.has('uploads')) return createMultipartUpload;
      if (isOfUpload) return completeMultipartUpload;
      throw new S3Error('MethodNotAllowed');
    case 'DELETE':
      return isOfUpload ? abortMultipartUpload : deleteObject;
    default:
      throw new S3Error('MethodNotAllowed');
  }
}
