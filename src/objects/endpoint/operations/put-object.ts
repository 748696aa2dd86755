import { type Answer, type Call, maximumUploadBytes, quoted, type Site } from '../call/call.ts';
import { readObjectHeaders, refuseUnsupported } from '../call/object-headers.ts';

export async function putObject(call: Call, { store }: Site): Promise<Answer> {
  refuseUnsupported(call.headers);
  const headers = readObjectHeaders(call.headers);
  const { content, checksums } = call.payload(maximumUploadBytes, call.headers);
  const object = await store.put(call.key, content, headers);
  return { status: 200, headers: { etag: quoted(object.etag), ...checksums } };
}
