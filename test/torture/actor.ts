import { createHash } from 'node:crypto';
import type { StorageCredentials } from '../acceptance/api.ts';
import type { Client } from './client.ts';
import { audienceBytes, emptyAudience } from './model/audience.ts';
import { marketplaceBytes } from './model/marketplace.ts';
import {
  describe,
  type ImportOperation,
  type Operation,
  type StoredFile,
} from './model/operations.ts';
import { type ModelPartner, newPartner } from './model/partner.ts';
import { customers } from './plan.ts';
import { createStorage, type Storage } from './storage.ts';
import type { World } from './world/world.ts';

export const importPath = '/v1/marketplace/import';
export const attributePath = '/v1/marketplace/attribute';
export const audiencePath = '/v2/firstparty/audience';

/** A partner who performs operations on the service and enters them in the model. */
export interface Actor {
  readonly model: ModelPartner;
  readonly access: Access;
  readonly partnerId: number;
  readonly apiKey: string;
  readonly prefix: string;
  readonly bucket: string;
  readonly storage: Storage;
  /** One per customer. */
  readonly userTokens: readonly string[];
  /** Returns when the service has answered. The name is the same for the same operation of a run. */
  perform(operation: Operation, name: string): Promise<void>;
}

/** How a partner reaches the service. */
export interface Access {
  readonly partnerId: number;
  readonly apiKey: string;
  readonly credentials: StorageCredentials;
  readonly userTokens: readonly string[];
}

export async function createActor(world: World, client: Client, number: number): Promise<Actor> {
  const token = world.adminToken;
  const post = <T>(path: string, json: object = {}) =>
    client.send<T>('POST', `/admin/v1${path}`, { token, json });
  const { partner_id } = await post<{ partner_id: number }>('/partners', { name: `p${number}` });
  const partner = `/partners/${partner_id}`;
  const { api_key } = await post<{ api_key: string }>(`${partner}/api-keys`);
  const credentials = await post<StorageCredentials>(
    `${partner}/storage-credentials`,
    world.storageKeys(partner_id),
  );
  const userTokens: string[] = [];
  for (let i = 0; i < customers; i++) {
    const name = `customer ${i} of p${number}`;
    const { customer_id } = await post<{ customer_id: number }>('/customers', { name });
    const made = await post<{ user_token: string }>(`${partner}/user-tokens`, { customer_id });
    userTokens.push(made.user_token);
  }
  const access = { partnerId: partner_id, apiKey: api_key, credentials, userTokens };
  return actorWith(client, token, access, newPartner(number));
}

/** A partner that exists, with what the model knows of it. */
export function actorWith(
  client: Client,
  token: string,
  access: Access,
  model: ModelPartner,
): Actor {
  const { partnerId, apiKey: api_key, credentials, userTokens } = access;
  const partner = `/partners/${partnerId}`;
  const storage = createStorage(credentials);
  const { prefix, bucket, region, accessKeyId, secretAccessKey } = credentials;

  function bytesOf({ content }: StoredFile): Buffer {
    return content.kind === 'audience'
      ? audienceBytes(content)
      : marketplaceBytes(content, (name) => model.attributeIds.get(name)!);
  }

  function importBody({ path, keyType, mode, isDryRun, fromOwnBucket }: ImportOperation): object {
    const common = { key_type: keyType, mode, dry_run: isDryRun };
    if (!fromOwnBucket) return { ...common, file_path: path };
    const own = { accessKeyId, secretAccessKey, region };
    return {
      ...common,
      file_path: `s3://${bucket}/${prefix}${path}`,
      path_type: 1,
      credentials: own,
    };
  }

  /** Returns the id of the log, if the operation has one. */
  async function perform(
    operation: Operation,
    idempotencyKey: string,
  ): Promise<number | undefined> {
    const write = <T>(method: string, path: string, json?: object, userToken?: string) =>
      client.send<T>(method, path, {
        token: api_key,
        idempotencyKey,
        userToken,
        ...(json ? { json } : {}),
      });
    const queue = async (method: string, path: string, json?: object) =>
      (await write<{ import_log_id: number }>(method, path, json)).import_log_id;
    const tokenOf = (customer: number | null) =>
      customer === null ? undefined : userTokens[customer];
    switch (operation.kind) {
      case 'upload': {
        const { key, file, by } = operation;
        const body = bytesOf(file);
        if (by === 'operator') {
          const path = `/admin/v1${partner}/objects/${encodeURIComponent(key)}`;
          await client.send('PUT', path, { token, body });
        } else if (file.inParts) await storage.putInParts(key, body);
        else await storage.put(key, body);
        model.files.set(key, file);
        model.digests.set(key, createHash('md5').update(body).digest('hex'));
        return;
      }
      case 'abandon upload':
        await storage.abandon(operation.key, Buffer.alloc(10_000), operation.isAborted);
        return;
      case 'remove object':
        await storage.remove(operation.key);
        model.files.delete(operation.key);
        model.digests.delete(operation.key);
        return;
      case 'create attribute': {
        const { attribute } = operation;
        const json = { name: attribute, description: '', partner_foreign_key: attribute };
        const made = await write<{ attribute_id: number }>('POST', attributePath, json);
        model.attributeIds.set(attribute, made.attribute_id);
        model.attributes.set(attribute, { attributeId: made.attribute_id, devices: new Set() });
        model.descriptions.set(attribute, '');
        model.usable.push(attribute);
        return;
      }
      case 'describe attribute': {
        const { attribute, text } = operation;
        const path = `${attributePath}/${model.attributeIds.get(attribute)}`;
        await write('PATCH', path, { description: text });
        model.descriptions.set(attribute, text);
        return;
      }
      case 'drop attribute': {
        const { attribute } = operation;
        model.usable.splice(model.usable.indexOf(attribute), 1);
        return queue('DELETE', `${attributePath}/${model.attributeIds.get(attribute)}`);
      }
      case 'import':
        return queue('POST', importPath, importBody(operation));
      case 'delete data': {
        const { attributes, keyType } = operation;
        const keys = attributes.map((name) =>
          keyType === 0 ? String(model.attributeIds.get(name)) : name,
        );
        return queue('DELETE', importPath, { key_type: keyType, keys });
      }
      case 'create audience': {
        const { path, customer } = operation;
        const json = { name: path, file_path: path };
        const made = await write<{ audience_id: number; default_warehouse_segment_id: number }>(
          'POST',
          audiencePath,
          json,
          tokenOf(customer),
        );
        const { audience_id, default_warehouse_segment_id } = made;
        model.audiences.push(emptyAudience(audience_id, default_warehouse_segment_id, customer));
        return;
      }
      case 'append':
      case 'clear': {
        const { audienceId, customer } = model.audiences[operation.audience]!;
        const path = `${audiencePath}/${audienceId}`;
        if (operation.kind === 'clear') await write('PUT', path, undefined, tokenOf(customer));
        else await write('PATCH', path, { file_path: operation.path }, tokenOf(customer));
        return;
      }
    }
  }

  return {
    model,
    access,
    partnerId,
    apiKey: api_key,
    prefix,
    bucket,
    storage,
    userTokens,
    async perform(operation, name) {
      try {
        const importLogId = await perform(operation, name);
        const audience =
          operation.kind === 'create audience' ? model.audiences.length - 1 : undefined;
        model.unchecked.push({ operation, importLogId, audience });
      } catch (cause) {
        throw new Error(`partner ${model.number}: ${describe(operation)} failed`, { cause });
      }
    },
  };
}
