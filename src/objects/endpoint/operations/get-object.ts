import type { StoredObject } from '../../disk/disk-store.ts';
import type { Answer, BucketContext, Call } from '../call/call.ts';
import { checkConditions, rangeStillApplies } from '../call/conditions.ts';
import { readAhead, withCurrentVersion } from '../call/current-version.ts';
import { describeObject, overriddenHeaders } from '../call/object-headers.ts';
import { parseRange } from '../wire/byte-range.ts';
import { S3Error } from '../wire/s3-error.ts';

export function getObject(call: Call, { store }: BucketContext): Promise<Answer> {
  return withCurrentVersion(store, call.key, async (object) => {
    const { range, ...answer } = describeAnswer(call, object);
    if (answer.status === 304 || range.start === range.end) return answer;
    return { ...answer, body: await readAhead(store.read(object, range.start, range.end)) };
  });
}

export function headObject(call: Call, { store }: BucketContext): Promise<Answer> {
  return withCurrentVersion(store, call.key, async (object) => {
    const { status, headers } = describeAnswer(call, object);
    return { status, headers };
  });
}

function describeAnswer(call: Call, object: StoredObject) {
  refusePart(call);
  const { headers, parameters } = call;
  const description = { ...describeObject(object), ...overriddenHeaders(parameters) };
  if (checkConditions(object, headers, 'if-') === 'not_modified') {
    return { status: 304, headers: description, range: { start: 0, end: 0 } };
  }
  const wanted = rangeStillApplies(object, headers.get('if-range'))
    ? parseRange(headers.get('range'), object.size)
    : undefined;
  if (wanted === 'unsatisfiable') {
    throw new S3Error('InvalidRange', undefined, {
      RangeRequested: headers.get('range') ?? '',
      ActualObjectSize: String(object.size),
    });
  }
  const range = wanted ?? { start: 0, end: object.size };
  return {
    status: wanted ? 206 : 200,
    headers: {
      ...description,
      'content-length': String(range.end - range.start),
      ...(wanted && { 'content-range': `bytes ${range.start}-${range.end - 1}/${object.size}` }),
    },
    range,
  };
}

/** Part boundaries are not kept after a multipart upload is completed. */
function refusePart({ parameters }: Call): void {
  if (parameters.has('partNumber')) {
    throw new S3Error('NotImplemented', 'Reading an object by part number is not implemented.');
  }
}
