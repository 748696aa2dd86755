import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Kind } from './parts/navigation.ts';

export interface ConsoleRoute {
  readonly path: string;
  readonly kinds: readonly Kind[];
  readonly Page: LazyExoticComponent<ComponentType>;
}

/** A page without the header, for every kind of user. */
export type LoneRoute = Omit<ConsoleRoute, 'kinds'>;

const everybody: readonly Kind[] = ['customer', 'partner', 'operator'];
const customers: readonly Kind[] = ['customer'];
const readers: readonly Kind[] = ['customer', 'partner'];
const partners: readonly Kind[] = ['partner'];
const operators: readonly Kind[] = ['operator'];

/** Every page, the kinds of users it is for, and its code, which is loaded on first use. */
export const routes: readonly ConsoleRoute[] = [
  route('/console/account', everybody, async () => {
    return (await import('./pages/account/account-page.tsx')).AccountPage;
  }),
  route('/console/audiences', readers, async () => {
    return (await import('./pages/audiences/audiences-page.tsx')).AudiencesPage;
  }),
  route('/console/compare', readers, async () => {
    return (await import('./pages/compare/compare-page.tsx')).ComparePage;
  }),
  route('/console/audiences/:audienceId', readers, async () => {
    return (await import('./pages/audiences/audience-page.tsx')).AudiencePage;
  }),
  route('/console/segments/:segmentId', readers, async () => {
    return (await import('./pages/composition/composition-page.tsx')).CompositionPage;
  }),
  route('/console/apps', customers, async () => {
    return (await import('./pages/apps/apps-page.tsx')).AppsPage;
  }),
  route('/console/attributes', partners, async () => {
    return (await import('./pages/attributes/attributes-page.tsx')).AttributesPage;
  }),
  route('/console/attributes/:attributeId', partners, async () => {
    return (await import('./pages/attributes/attribute-page.tsx')).AttributePage;
  }),
  route('/console/imports', partners, async () => {
    return (await import('./pages/imports/imports-page.tsx')).ImportsPage;
  }),
  route('/console/imports/:importLogId', partners, async () => {
    return (await import('./pages/imports/import-page.tsx')).ImportPage;
  }),
  route('/console/upload', partners, async () => {
    return (await import('./pages/uploads/upload-page.tsx')).UploadPage;
  }),
  route('/console/usage', partners, async () => {
    return (await import('./pages/usage/own-usage-page.tsx')).OwnUsagePage;
  }),
  route('/console/webhooks', partners, async () => {
    return (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage;
  }),
  route('/console/webhooks/:webhookId', partners, async () => {
    return (await import('./pages/webhooks/webhook-page.tsx')).WebhookPage;
  }),
  route('/console/operator/webhooks', operators, async () => {
    return (await import('./pages/webhooks/operator-webhooks-page.tsx')).OperatorWebhooksPage;
  }),
  route('/console/operator', operators, async () => {
    return (await import('./pages/operator/operator-page.tsx')).OperatorPage;
  }),
  route('/console/operator/jobs', operators, async () => {
    return (await import('./pages/jobs/jobs-page.tsx')).JobsPage;
  }),
  route('/console/operator/jobs/:jobId', operators, async () => {
    return (await import('./pages/jobs/job-page.tsx')).JobPage;
  }),
  route('/console/operator/partners', operators, async () => {
    return (await import('./pages/operator/partners-page.tsx')).PartnersPage;
  }),
  route('/console/operator/partners/:partnerId', operators, async () => {
    return (await import('./pages/operator/partner-page.tsx')).PartnerPage;
  }),
  route('/console/operator/customers', operators, async () => {
    return (await import('./pages/operator/customers-page.tsx')).CustomersPage;
  }),
  route('/console/operator/customers/:customerId', operators, async () => {
    return (await import('./pages/operator/customer-page.tsx')).CustomerPage;
  }),
  route('/console/operator/grants', operators, async () => {
    return (await import('./pages/operator/grants-page.tsx')).GrantsPage;
  }),
  route('/console/operator/usage', operators, async () => {
    return (await import('./pages/usage/usage-page.tsx')).UsagePage;
  }),
  route('/console/operator/privacy', operators, async () => {
    return (await import('./pages/privacy/privacy-page.tsx')).PrivacyPage;
  }),
  route('/console/operator/privacy/drop', operators, async () => {
    return (await import('./pages/privacy/drop-page.tsx')).DropPage;
  }),
  route('/console/operator/privacy/drop/:cycleId', operators, async () => {
    return (await import('./pages/privacy/cycle-page.tsx')).DropCyclePage;
  }),
  route('/console/operator/privacy/:requestId', operators, async () => {
    return (await import('./pages/privacy/request-page.tsx')).PrivacyRequestPage;
  }),
  route('/console/operator/audit', operators, async () => {
    return (await import('./pages/audit/audit-page.tsx')).AuditPage;
  }),
  route('/console/operator/sessions', operators, async () => {
    return (await import('./pages/operator/sessions-page.tsx')).SessionsPage;
  }),
];

export const loneRoutes: readonly LoneRoute[] = [
  loneRoute('/console/authorize/:uid', async () => {
    return (await import('./pages/authorize/authorize-page.tsx')).AuthorizePage;
  }),
];

function route(
  path: string,
  kinds: readonly Kind[],
  load: () => Promise<ComponentType>,
): ConsoleRoute {
  return { ...loneRoute(path, load), kinds };
}

function loneRoute(path: string, load: () => Promise<ComponentType>): LoneRoute {
  return { path, Page: lazy(async () => ({ default: await load() })) };
}
