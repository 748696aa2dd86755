import { limits } from '../../../domain/limits.ts';
import {
  type Answer,
  type BucketContext,
  type Call,
  mayAccess,
  readXml,
  xmlAnswer,
} from '../call/call.ts';
import { refuseWriteCondition } from '../call/conditions.ts';
import { S3Error } from '../wire/s3-error.ts';
import { elementsOf, type ParsedElement, textOf } from '../wire/xml.ts';

export async function deleteObject(call: Call, { store }: BucketContext): Promise<Answer> {
  refuseWriteCondition(call.headers);
  await store.delete([call.key], call.audited('s3:DeleteObject', 204));
  return { status: 204 };
}

/** Deletes or refuses each key separately. */
export async function deleteObjects(call: Call, { store }: BucketContext): Promise<Answer> {
  const request = await readXml(call, 'Delete');
  const outcomes = elementsOf(request, 'Object').map((object) => checkDeletion(call, object));
  if (outcomes.length > limits.deletedKeys.most) throw new S3Error('MalformedXML');
  const deleted = outcomes.filter(({ refusal }) => !refusal).map(({ key }) => key);
  await store.delete(deleted, call.audited('s3:DeleteObject', 200));
  const isQuiet = textOf(request, 'Quiet')?.trim() === 'true';
  return xmlAnswer('DeleteResult', {
    Deleted: isQuiet ? [] : deleted.map((key) => ({ Key: key })),
    Error: outcomes.flatMap(({ key, refusal }) =>
      refusal ? [{ Key: key, Code: refusal.code, Message: refusal.message }] : [],
    ),
  });
}

function checkDeletion(call: Call, object: ParsedElement): { key: string; refusal?: S3Error } {
  const key = textOf(object, 'Key');
  if (!key) throw new S3Error('MalformedXML');
  if (!mayAccess(call, key)) return { key, refusal: new S3Error('AccessDenied') };
  const version = textOf(object, 'VersionId') || 'null';
  return version === 'null' ? { key } : { key, refusal: new S3Error('NoSuchVersion') };
}
