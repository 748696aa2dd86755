import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { SendLive } from '../server/live-answers.ts';
import { registerWebhookDeliveries } from './deliveries.ts';
import { registerAdminWebhooks } from './operator-webhooks.ts';
import { registerWebhooks, type WebhookDependencies } from './webhooks.ts';

interface WebhookRouteDependencies extends WebhookDependencies {
  readonly sendLive: SendLive;
  readonly sendList: SendList;
}

export function registerWebhookRoutes(app: App, deps: WebhookRouteDependencies): void {
  registerWebhooks(app, deps);
  registerWebhookDeliveries(app, deps, deps.sendLive);
  registerAdminWebhooks(app, deps.records, deps.auth, deps.sendList);
}
