import type { ObjectStore } from '../../objects/port.ts';
import type { App } from '../server/app-types.ts';
import { registerDropCycles } from './drop-cycles.ts';
import { registerDropStatus } from './drop-status.ts';
import { type RequestDependencies, registerPrivacyRequests } from './requests.ts';

interface PrivacyDependencies extends RequestDependencies {
  readonly objects: ObjectStore;
}

export async function registerPrivacy(app: App, deps: PrivacyDependencies): Promise<void> {
  registerPrivacyRequests(app, deps);
  registerDropStatus(app, deps.records, deps.auth);
  await registerDropCycles(app, deps);
}
