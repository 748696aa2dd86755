import { limits } from '../../../domain/limits.ts';
import { type Answer, type BucketContext, type Call, quoted } from '../call/call.ts';
import { readWriteCondition } from '../call/conditions.ts';
import { readObjectHeaders, refuseUnsupported } from '../call/object-headers.ts';

export async function putObject(call: Call, { store }: BucketContext): Promise<Answer> {
  refuseUnsupported(call.headers);
  const headers = readObjectHeaders(call.headers);
  const condition = readWriteCondition(call.headers);
  const { content, checksums } = call.payload(limits.uploadBytes.most, call.headers);
  using _reserved = await store.reserve(call.key, content.size);
  const by = call.audited('s3:PutObject', 200);
  const object = await store.put(call.key, content, headers, condition, by);
  return { status: 200, headers: { etag: quoted(object.etag), ...checksums } };
}
