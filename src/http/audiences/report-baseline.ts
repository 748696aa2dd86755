import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import type { Audience } from '../../records/audiences/audiences.ts';
import type { Supplier } from '../../records/audiences/baselines.ts';
import { type Composition, devicesIn } from '../../records/audiences/compositions.ts';
import type { Records } from '../../records/records.ts';
import { found, parseId } from '../server/wire.ts';
import { visibleAudience } from './audience-scope.ts';
import type { ReportCounts, SuppliedAttribute } from './report-counts.ts';
import type { Compared } from './report-figures.ts';

export const BaselineQuery = Type.Object(
  {
    baseline: Type.Optional(
      Type.String({
        pattern: '^(universe|(partner|audience):[1-9][0-9]{0,15})$',
        description:
          'What the audience is compared with. `universe` (the default): every device that has an attribute. `partner:<id>`: the devices known to this supplier, and only its attributes. `audience:<id>`: another audience of the same customer.',
        examples: ['partner:1'],
      }),
    ),
  },
  { additionalProperties: false },
);

/** What a report compares the audience with. */
export interface Baseline extends Compared {
  /** As in the query. */
  readonly choice: string;
  /** The name of the supplier or the other audience. */
  readonly name: string | null;
  /** Whether something that it was counted from has changed since. */
  readonly stale: boolean;
  /** The report shows only the attributes of this supplier; null for all. */
  readonly supplierId: number | null;
}

interface Asked {
  readonly records: Records;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly audience: Audience;
  readonly composition: Composition;
  readonly suppliers: readonly Supplier[];
  readonly counts: ReportCounts;
  /** The counts of another report; undefined if it must be computed again first. */
  countsOf(composition: Composition): ReportCounts | undefined;
}

export async function chosenBaseline(asked: Asked, choice: string): Promise<Baseline> {
  const [kind, id = ''] = choice.split(':');
  if (kind === 'partner') return supplierBaseline(asked, choice, parseId(id, 'supplier'));
  if (kind === 'audience') return audienceBaseline(asked, choice, id);
  return universeBaseline(asked);
}

function universeBaseline({ composition, counts }: Asked): Baseline {
  return {
    choice: 'universe',
    name: null,
    stale: false,
    supplierId: null,
    population: { baseline: counts.universe, matched: counts.matched, isNested: true },
    attributes: attributesOf(composition),
    counts,
  };
}

/**
 * All devices of a supplier's attribute are known to the supplier, so its counts are those of the
 * universe. The other suppliers' attributes are left out, because how many of this supplier's devices
 * have them says more about how the suppliers overlap than about the audience.
 */
async function supplierBaseline(
  asked: Asked,
  choice: string,
  partnerId: number,
): Promise<Baseline> {
  const { records, reply, audience, composition, counts, suppliers } = asked;
  const supplier = found(
    suppliers.find((one) => one.partnerId === partnerId),
    'supplier',
  );
  const attributes = attributesOf(composition).filter((one) => one.partnerId === partnerId);
  const hasDevices = ({ segmentId }: SuppliedAttribute) =>
    devicesIn(composition.counted, segmentId).baselineDevices > 0;
  if (!attributes.some(hasDevices)) {
    throw invalidInput(
      'baseline',
      `No attribute of the supplier "${supplier.name}" has devices in this report. Choose another baseline.`,
    );
  }
  const pair = { audienceId: audience.audienceId, partnerId };
  await records.baselines.want(pair);
  const sizes = await records.baselines.find(pair);
  if (!sizes && audience.heldUntil) {
    throw new TributaryError(
      'not_computed_yet',
      `The partner has reached its daily limit of reported contents. The devices known to the supplier "${supplier.name}" will be counted after ${audience.heldUntil.toISOString()}.`,
    );
  }
  if (!sizes) {
    reply.header('retry-after', '2');
    throw new TributaryError(
      'not_computed_yet',
      `The devices known to the supplier "${supplier.name}" are being counted. Try again in a few seconds.`,
    );
  }
  return {
    ...universeBaseline(asked),
    choice,
    name: supplier.name,
    stale: sizes.stale,
    supplierId: partnerId,
    population: { ...counts.known(partnerId, sizes), isNested: true },
    attributes,
  };
}

async function audienceBaseline(asked: Asked, choice: string, pathId: string): Promise<Baseline> {
  const { records, request, audience, composition, counts, countsOf } = asked;
  const other = await visibleAudience(records, request, pathId);
  if (other.audienceId === audience.audienceId) {
    throw invalidInput('baseline', 'An audience cannot be compared with itself.');
  }
  if (!(await records.baselines.areOfSameCustomer(audience.audienceId, other.audienceId))) {
    throw invalidInput(
      'baseline',
      `Audience ${other.audienceId} belongs to another customer. Choose an audience of the same customer.`,
    );
  }
  const compared = await records.compositions.find(other.audienceId);
  const others = compared && countsOf(compared);
  if (!others) {
    throw new TributaryError(
      'not_computed_yet',
      `The report of the audience "${other.name}", which was chosen as the baseline, has not been computed yet. It is computed when a load ends.`,
    );
  }
  return {
    choice,
    name: other.name,
    stale: compared.stale,
    supplierId: null,
    population: { baseline: others.matched, matched: counts.matched, isNested: false },
    attributes: attributesOf(composition),
    counts: {
      isExact: (attribute) => counts.isExact(attribute) && others.isExact(attribute),
      of: (attribute) => ({
        audience: counts.of(attribute).audience,
        baseline: others.of(attribute).audience,
      }),
    },
  };
}

function attributesOf({ counted }: Composition): SuppliedAttribute[] {
  const { segmentIds, partnerIds } = counted;
  return segmentIds.map((segmentId, i) => ({ segmentId, partnerId: partnerIds[i]! }));
}
