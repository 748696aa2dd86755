/** What can change the devices of an audience or an attribute. The code that commits a change passes its cause. */
export type ChangeCause =
  | 'load'
  | 'append'
  | 'clear'
  | 'import'
  | 'replace'
  | 'deletion'
  | 'privacy';

/** By cause, the last version of a segment that it led to. */
export type CausedVersions = Readonly<Partial<Record<ChangeCause, number>>>;

/** Why the figures of an audience changed, in the order in which they are listed. */
export const audienceReasons = [
  'load',
  'append',
  'clear',
  'privacy',
  'attribute_import',
  'attribute_deletion',
] as const;
export type AudienceReason = (typeof audienceReasons)[number];

/** Why the devices of an attribute changed. */
export const attributeCauses = ['import', 'replace', 'deletion', 'privacy'] as const;
export type AttributeCause = (typeof attributeCauses)[number] & ChangeCause;

interface CountedSegment {
  readonly segmentId: number;
  readonly version: number;
}

/** An attribute that differs from the one that the last report counted. */
interface ChangedAttribute {
  readonly segmentId: number;
  /** The version that the last report counted; 0 if it counted none. */
  readonly since: number;
}

/**
 * The attributes whose version differs from the counted one, and those that no longer have devices.
 * The universe is counted with them, but is not an attribute.
 */
export function* changedAttributes(
  counted: ReadonlyMap<number, { readonly version: number }>,
  current: readonly CountedSegment[],
  universeId: number,
): Generator<ChangedAttribute> {
  let found = counted.has(universeId) ? 1 : 0;
  for (const { segmentId, version } of current) {
    const before = counted.get(segmentId);
    if (before) found++;
    const since = before?.version ?? 0;
    if (since !== version) yield { segmentId, since };
  }
  if (found === counted.size) return;
  const present = new Set([universeId, ...current.map(({ segmentId }) => segmentId)]);
  for (const [segmentId, { version }] of counted) {
    if (!present.has(segmentId)) yield { segmentId, since: version };
  }
}

/**
 * Why the report of an audience changed. `since` is the version of the audience that the last report
 * counted, null if there is none since the last clear.
 */
export function reasonsOf(
  audience: { readonly causes: CausedVersions; readonly since: number | null },
  changed: Iterable<ChangedAttribute>,
  causesOf: ReadonlyMap<number, CausedVersions>,
): AudienceReason[] {
  const { causes } = audience;
  const since = audience.since ?? causes.clear ?? 0;
  const found = new Set<AudienceReason>();
  for (const cause of ['load', 'append', 'clear', 'privacy'] as const) {
    if ((causes[cause] ?? 0) > since) found.add(cause);
  }
  for (const attribute of changed) {
    const by = causesOf.get(attribute.segmentId);
    const isSince = (version = 0) => version > attribute.since;
    // An attribute without a segment was deleted.
    if (!by || isSince(by.deletion)) found.add('attribute_deletion');
    if (!by) continue;
    if (isSince(by.import) || isSince(by.replace)) found.add('attribute_import');
    if (isSince(by.privacy)) found.add('privacy');
  }
  return audienceReasons.filter((reason) => found.has(reason));
}
