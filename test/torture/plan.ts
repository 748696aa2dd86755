import type { ModelContent } from './model/audience.ts';
import type { MarketplaceContent, Rows } from './model/marketplace.ts';
import type { ImportOperation, Operation, StoredFile } from './model/operations.ts';
import type { ModelPartner } from './model/partner.ts';
import { chosen, type Random, someOf } from './random.ts';

export const customers = 2;
/** Devices of all partners come from the same numbers, so that audiences match attributes. */
export const population = 50_000;
const largestRange = 30_000;
const mostAttributes = 6;
const mostAudiences = 4;
const mostMalformed = 40;

const importKeys = ['in/ids/a', 'in/ids/b', 'in/keys/a', 'in/keys/b', 'in/keys/c', 'in/keys/d'];
const audienceKeys = ['au/day/1', 'au/day/2', 'au/day/3', 'au/night/1'];
const importPaths = [
  ...importKeys,
  ...importKeys,
  'in/ids/',
  'in/keys/',
  'in/keys',
  'in/keys/none',
];
const audiencePaths = [...audienceKeys, 'au/day/', 'au/night/', 'au/n', 'au/none/'];
const labels = ['', 'seen', 'bought', 'left'];
const audienceFaults = ['wrong_columns', 'bad_compression', 'too_many_rejects'] as const;

/** A change of the partner's files. Made before the jobs of a round, so that no job sees it halfway. */
export function planFileChange(partner: ModelPartner, random: Random): Operation {
  const isImport = random(2) === 0;
  const key = chosen(isImport ? importKeys : audienceKeys, random);
  switch (random(10)) {
    case 0:
      return { kind: 'remove object', key };
    case 1:
      return { kind: 'abandon upload', key, isAborted: random(2) === 0 };
    default: {
      const by = random(3) === 0 ? 'operator' : 'partner';
      const inParts = by === 'partner' && random(3) === 0;
      const content: StoredFile['content'] = isImport
        ? planMarketplaceFile(partner, key, random)
        : { kind: 'audience', ...planAudienceFile(random) };
      return { kind: 'upload', key, file: { content, inParts }, by };
    }
  }
}

function planMarketplaceFile(
  { usable, attributeIds }: ModelPartner,
  key: string,
  random: Random,
): MarketplaceContent {
  const names = usable.length > 0 ? usable : [...attributeIds.keys()];
  const additions = Array.from(
    { length: 1 + random(2) },
    (): Rows => ({ ...planRange(random), attributes: someOf(names, random), removes: false }),
  );
  const removals = Array.from({ length: Math.max(0, random(4) - 2) }, (): Rows => {
    const first = random(population);
    const attributes = random(4) === 0 ? [] : someOf(names, random);
    return { first, last: first + random(2_000), times: 1, attributes, removes: true };
  });
  const hasRemovals = removals.length > 0;
  return {
    kind: 'marketplace',
    keyType: key.startsWith('in/ids') ? 0 : 1,
    rows: [...removals, ...additions],
    malformed: random(3) === 0 ? random(mostMalformed) : 0,
    zeroed: random(3) === 0 ? random(mostMalformed) : 0,
    packing: chosen(['none', 'none', 'gzip', 'zstd'], random),
    fault:
      random(12) > 0 ? 'none' : hasRemovals || random(2) > 0 ? 'wrong_columns' : 'bad_compression',
  };
}

function planAudienceFile(random: Random): ModelContent {
  return {
    ...planRange(random),
    label: chosen(labels, random),
    fault: random(6) === 0 ? chosen(audienceFaults, random) : 'none',
  };
}

/** One of ten ranges has many rows, so that kills meet long loads as well. */
function planRange(random: Random): { first: number; last: number; times: number } {
  const first = random(population);
  const last = first + random(largestRange);
  return { first, last, times: random(10) === 0 ? 12 : 1 + random(2) };
}

/** An operation other than a change of files. */
export function planJob(partner: ModelPartner, random: Random): Operation {
  const { usable, audiences, attributeIds } = partner;
  const kind = random(20);
  if (usable.length < 2 || (kind === 0 && usable.length < mostAttributes)) {
    return { kind: 'create attribute', attribute: `p${partner.number}-${attributeIds.size}` };
  }
  if (kind === 1) {
    return {
      kind: 'describe attribute',
      attribute: chosen(usable, random),
      text: `${random(1e9)}`,
    };
  }
  if (kind === 2 && usable.length > 3) {
    return { kind: 'drop attribute', attribute: chosen(usable, random) };
  }
  if (kind < 5) {
    const keyType = random(2) === 0 ? 0 : 1;
    return { kind: 'delete data', attributes: someOf(usable, random).slice(0, 3), keyType };
  }
  if (kind < 12) return planImport(random);
  if (audiences.length < 2 || (kind === 12 && audiences.length < mostAudiences)) {
    const customer = random(customers + 1);
    const path = chosen(audiencePaths, random);
    return { kind: 'create audience', path, customer: customer === 0 ? null : customer - 1 };
  }
  const audience = random(audiences.length);
  return kind < 18
    ? { kind: 'append', audience, path: chosen(audiencePaths, random) }
    : { kind: 'clear', audience };
}

function planImport(random: Random): ImportOperation {
  const path = chosen(importPaths, random);
  return {
    kind: 'import',
    path,
    keyType: path.startsWith('in/ids') ? 0 : 1,
    mode: random(3) === 0 ? 'replace' : 'merge',
    isDryRun: random(6) === 0,
    fromOwnBucket: random(5) === 0,
  };
}
