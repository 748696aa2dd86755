/** The types of events, and what each one means, for the documentation. */
export const webhookEvents = Object.freeze({
  'import.finished': 'An import, or a dry run, is done. `data` is its import log.',
  'import.failed': 'An import or a deletion failed. `data` is its import log.',
  'deletion.finished': 'A deletion of attribute data is done. `data` is its import log.',
  'audience.loaded':
    'A load of an audience is done. `data` is the audience. Its `status` is 3 if a file failed.',
  'audience.file_failed':
    'A file of an audience failed, or its load as a whole. `data` is the error, with `audience_id` and the `path` of the load.',
  'audience.cleared': 'An audience was cleared. `data` is the audience.',
  'composition.updated':
    "An audience's composition was computed, and its history has a new entry. `data` is the audience, with the new `matched_devices`.",
  'watch.paused':
    'The service paused a watch after repeated failures or too many files. `data` is the watch.',
  'privacy.applied':
    'Devices were removed from your data because their owners asked for it. `data` is the import log, with `log_type` 3.',
});

export type WebhookEvent = keyof typeof webhookEvents;

export const webhookEventTypes = Object.freeze(Object.keys(webhookEvents) as WebhookEvent[]);

/** What "Send a test" sends, to one webhook and whatever events it wants. */
export const testEvent = 'webhook.test';

/** Who or what disabled a webhook. */
export type WebhookDisabledBy = 'partner' | 'operator' | 'gone' | 'failing';

export type DeliveryState = 'pending' | 'delivered' | 'failed';
