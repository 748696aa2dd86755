import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { StorageUse } from '../../records/objects/storage-use.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { Nullable } from '../server/wire.ts';
import { StorageMembers, storageOnTheWire } from '../usage/storage-wire.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';
import type { SharedStorage } from './storage-credentials.ts';

const storagePath = `${partnerPath}/storage`;

export const StorageQuota = Nullable(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  {
    description:
      'Bytes that the partner may keep in the embedded object store; null for any number. A quota that is too low for what is stored deletes nothing. An external store has its own quotas.',
    examples: [200_000_000_000],
  },
);

const { most: mostDays } = limits.uploadRetention;

const UploadRetention = Nullable(Type.Integer({ minimum: 0, maximum: mostDays }), {
  description:
    "A file is deleted this many days after it was last loaded. 0: the partner's files are kept for good. Null: `TRIBUTARY_UPLOAD_RETENTION_DAYS`.",
  examples: [30],
});

const PartnerStorage = Type.Object({
  ...StorageMembers.properties,
  upload_retention_days: UploadRetention,
});

interface PartnerStorageDependencies {
  readonly storage: SharedStorage;
  readonly uploadRetentionDays: number | null;
}

export function registerAdminPartnerStorage(
  app: App,
  records: Records,
  auth: Auth,
  { storage, uploadRetentionDays }: PartnerStorageDependencies,
): void {
  app.get(
    storagePath,
    operatorRoute(auth, {
      operationId: 'getPartnerStorage',
      summary: 'Storage of a partner',
      params: PartnerParams,
      response: { 200: PartnerStorage },
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
      return onTheWire(await records.storageUses.of(partnerId));
    },
  );

  app.patch(
    storagePath,
    operatorRoute(auth, {
      operationId: 'updatePartnerStorage',
      summary: "Set a partner's storage quota and how long its uploads are kept",
      description:
        'Members that are left out stay as they are. With a lower number of days, files that are older are deleted within an hour.',
      params: PartnerParams,
      body: Type.Object(
        {
          quota: Type.Optional(StorageQuota),
          upload_retention_days: Type.Optional(UploadRetention),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { 200: PartnerStorage },
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
      const { quota, upload_retention_days: days } = request.body;
      const before = await records.storageUses.of(partnerId);
      if (quota !== undefined) {
        refuseQuotaElsewhere(storage, '/quota', quota);
        await records.partners.setStorageQuota(partnerId, quota);
      }
      if (days !== undefined) await records.partners.setUploadRetention(partnerId, days);
      const after = await records.storageUses.of(partnerId);
      noteChange(request, { before: changeOf(before), after: changeOf(after) });
      return onTheWire(after);
    },
  );

  function onTheWire(use: StorageUse) {
    const upload_retention_days = use.retentionDays;
    return { ...storageOnTheWire(use, uploadRetentionDays), upload_retention_days };
  }
}

/** Only the embedded store has quotas. */
export function refuseQuotaElsewhere(
  { issuedHere }: SharedStorage,
  pointer: string,
  quota: number | null,
): void {
  if (quota === null || issuedHere) return;
  throw invalidInput(pointer, 'The shared bucket is in an external store. Set quotas there.');
}

function changeOf({ quota, retentionDays }: StorageUse) {
  return { storage_quota: quota, upload_retention_days: retentionDays };
}
