// Generated from our own OpenAPI document by test/integration/http/reference/client-types.test.ts.

export interface paths {
    "/v1/console/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Storage
         * @description Returns how many bytes you keep in the shared bucket, how many you may keep, and for how many days the service keeps your files. Beyond the quota, S3 clients get `QuotaExceeded`.
         */
        get: operations["getStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file without an S3 client
         * @description Returns a URL. Send the file to it in one `PUT` whose body is the bytes, at most 5 GiB, with any `Content-Type`. The URL accepts only this file and needs no credentials: keep it secret until it expires. In the embedded store it also ends when your API key is revoked. An existing object is replaced when the new one is complete.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/attribute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List attributes
         * @description Returns your attributes, ordered by attribute_id. Use `limit` and `after` to page through them. Unknown parameters are rejected.
         */
        get: operations["listAttributes"];
        put?: never;
        /**
         * Create attributes
         * @description Creates one attribute from JSON, or a whole taxonomy from CSV. A taxonomy is created as a whole or not at all. Your files then assign the attributes to devices, by attribute_id or by your own keys.
         */
        post: operations["createAttribute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/attribute/{attribute_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an attribute */
        get: operations["getAttribute"];
        put?: never;
        post?: never;
        /**
         * Delete an attribute
         * @description Queues a job that deletes the attribute and its data. The attribute remains until the job runs. A deletion cannot be undone.
         */
        delete: operations["deleteAttribute"];
        options?: never;
        head?: never;
        /**
         * Change an attribute
         * @description Send at least one field. Fields that you leave out keep their values. Jobs resolve keys when they run, so a new key also applies to pending jobs.
         */
        patch: operations["changeAttribute"];
        trace?: never;
    };
    "/v1/marketplace/attribute/{attribute_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of an attribute
         * @description Returns how the number of devices of one of your attributes changed and why, the latest change first. The last 365 changes are kept.
         */
        get: operations["listAttributeHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/bucket-role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How to let the service read your bucket with a role
         * @description Returns the trust policy for a role in your AWS account. Also allow the role `s3:ListBucket` on the bucket and `s3:GetObject` on its objects. Then send its ARN as `roleArn` in `credentials`. Always keep the condition on the external ID: without it, other partners of this service could name your role.
         */
        get: operations["getBucketRole"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List import logs
         * @description Returns your jobs, newest first. Use `limit` and `after` to page through them. Unknown parameters are rejected.
         */
        get: operations["listImportLogs"];
        put?: never;
        /**
         * Queue an import
         * @description Loads one file, or every file under a path, into your attributes. The import is applied as a whole or not at all. Your jobs run one at a time, in the order submitted. A file has two or five columns. Two columns: `id,attribute_ids`, an advertising identifier and the keys of its attributes, separated by `|`. Five columns: `id,id_type,country,operation,attribute_ids`, where `id_type` is 1 (IDFA) or 3 (AAID), `country` is a two-letter code, and `operation` is 0 to add or 1 to remove. Removals are applied before additions. A removal without keys removes the device from all your attributes. Files are UTF-8 text, separated by commas or tabs, uncompressed or compressed with gzip or zstd.
         */
        post: operations["queueImport"];
        /**
         * Delete attribute data
         * @description Queues a job that removes every device from the given attributes. The attributes themselves remain, empty. An attribute that no longer exists when the job runs is skipped. A deletion cannot be undone.
         */
        delete: operations["deleteAttributeData"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/import/{import_log_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get import log
         * @description With `Prefer: wait=30` the response is sent when the job has ended, or after 30 seconds.
         */
        get: operations["getImportLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/import/{import_log_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of an import
         * @description Returns the files in key order. The list is empty until the import runs, because the path is looked up at that point.
         */
        get: operations["listImportFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/import/{import_log_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get progress
         * @description Returns the progress of a job, its speed and its position in your queue. With `Accept: text/event-stream` the response is a stream of `progress` events with the same fields: one immediately, then about one per second until the job ends. The last event has queue_position null. Comment lines keep an idle stream open. At most 50 streams can be open at the same time.
         */
        get: operations["getImportProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/import/{import_log_id}/rejects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download rejected rows
         * @description Returns the rejected rows, ordered by file and line, at most 10,000 per file. The problem "rejects_left_out" counts those left out beyond that and beyond the limits of a job. They are kept for 30 days after the job ends. In the CSV, a cell that a spreadsheet would run as a formula is prefixed with an apostrophe, and invalid UTF-8 is replaced. Send `Accept: application/x-ndjson` to get the exact bytes.
         */
        get: operations["downloadRejects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List watches
         * @description Returns the watches, ordered by watch_id.
         */
        get: operations["listWatches"];
        put?: never;
        /**
         * Create a watch
         * @description Imports every file that appears under a path, each as an import of its own, in the order of their last change and key. A version of a file is imported once: it is identified by its key and ETag. Files whose names begin with `_` or `.` are not imported. A file that fails does not stop the others. After several failures in a row, the watch is paused.
         */
        post: operations["createWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/watch/{watch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a watch
         * @description Returns the watch, with counts of its files.
         */
        get: operations["getWatch"];
        put?: never;
        post?: never;
        /**
         * Remove a watch
         * @description No more files are queued. Jobs that are already in the queue still run. The credentials of the watch are deleted. A new watch of the same path loads all files again, unless it skips existing files.
         */
        delete: operations["removeWatch"];
        options?: never;
        head?: never;
        /**
         * Change a watch
         * @description Send at least one field. Fields that you leave out keep their values. The watch remembers which files it has loaded. Jobs that are already in the queue keep the old settings.
         */
        patch: operations["changeWatch"];
        trace?: never;
    };
    "/v1/marketplace/watch/{watch_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a watch
         * @description Returns the versions of files that the watch has found, the latest first, and how they were loaded. A version whose file was deleted or replaced is listed for 30 more days.
         */
        get: operations["listWatchFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/watch/{watch_id}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the files of a watch now
         * @description Lists the files without waiting for the next scheduled listing, but not sooner than 30 seconds after the last one. Call it when your bucket sends a notification, for example. A paused watch lists its files when it is resumed.
         */
        post: operations["pollWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your usage by month
         * @description As JSON, or as CSV with `Accept: text/csv`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your quotas
         * @description The quota of the object store is at `/v1/console/storage`.
         */
        get: operations["getQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Your webhooks, the oldest first, without their secrets.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events are sent to the URL from now on, in the format of Standard Webhooks 1.0.0 and signed with the secret. Each event is sent at least once, in no particular order. Its `webhook-id` stays the same when it is sent again.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook
         * @description Pending events are not sent.
         */
        delete: operations["removeWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Fields that you leave out keep their values. While a webhook is disabled, its events wait. They are sent when you enable it. If the service disabled it (`gone` or `failing`), only events from before wait; later ones are not stored for it. Only the operator can enable a webhook that the operator disabled.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description The events for the webhook, newest first, each with its attempts. They are kept for 7 days. Use `limit` and `after` to page through them. With `Accept: text/event-stream` the response is a stream. It sends an event `deliveries` with the data `{"deliveries": […]}` at once, and again within about a second of a change. Comment lines keep the stream alive. It ends when the caller loses access.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again
         * @description Sends one event again, or all events for the webhook since a time, whether they were delivered or not. They keep their `webhook-id`. Events are kept for 7 days.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a webhook's secret
         * @description During the overlap, every event is signed with both the new secret and the previous one. Replace the secret in your receiver within that time.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test
         * @description Sends an event of the type `webhook.test` to this webhook. The list of deliveries shows the result.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audiences
         * @description Returns audiences ordered by audience_id: with a user token those of its customer, without one all of yours. Use `limit` and `after` to page through them. Unknown parameters are rejected.
         */
        get: operations["listAudiences"];
        put?: never;
        /**
         * Create an audience
         * @description Creates an audience and queues a job that loads one file, or every file under a path. Your jobs run one at a time, in the order submitted. A file has exactly two columns: an advertising identifier and an event label, which may be empty. Files are UTF-8 text, separated by commas or tabs, uncompressed or compressed with gzip or zstd. Each file is loaded as a whole or not at all. With a user token, the audience belongs to its customer.
         */
        post: operations["createAudience"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get audience details
         * @description Returns the audience with its files. All counts, and the statuses of the first 1,000 files, are from the same moment. Further files are read while the response is sent. With `Prefer: wait=30` the response is sent when all loads of the audience have ended, or after 30 seconds.
         */
        get: operations["getAudience"];
        /**
         * Clear an audience
         * @description Removes all devices and files from the audience, sets its counts to 0 and cancels its pending and running loads. This takes effect immediately. Files that you append afterwards are loaded, even if they were loaded before. Send no body, or `{}` with any content type.
         */
        put: operations["clearAudience"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Append files
         * @description Queues a job that loads more files into the audience. Each device counts once. A file that is already loaded with the same path and ETag is skipped. A file that failed or has changed since is loaded again.
         */
        patch: operations["appendFiles"];
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/composition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the composition report
         * @description Compares the matched devices of an audience with the universe (every device that has an attribute), for every attribute of the marketplace. With `baseline`, it compares them with the devices known to one supplier, or with another audience. The devices of a supplier are counted after the first request for that baseline. Until the count is ready, the response is 404 with the code `not_computed_yet` and a `Retry-After` header. Counts that depend on the data of other partners have noise, unless the operator allows exact counts. `disclosure`, and `exact` of each attribute, show which counts have noise. Nothing is rounded. The report is computed by each load of the audience, before the load ends, and again in the background when attributes change. A clear deletes the report until the report of the empty audience is computed. Without a report, the response is 404 with the code `not_computed_yet`. Figures based on few devices are null, with the reason in `suppressed`.
         */
        get: operations["getComposition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List errors
         * @description Returns why files failed, and which rows or labels of loaded files were dropped: one entry per kind of problem and file. Failed files come first, then loaded ones, both in the order of `file`; the failure of a file precedes its other problems. If the last load failed as a whole, the first entry states the reason and its `file` is null. A label is dropped if it is longer than 256 bytes (`label_too_long`) or if the audience already has 1,000 labels (`too_many_labels`). The row is loaded without it.
         */
        get: operations["listAudienceErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes
         * @description Returns how the figures of the audience changed and why, the latest change first. A change is recorded when the composition report is computed and its devices, matched devices or largest attributes differ from the change before, and when the audience is cleared. The last 365 changes are kept.
         */
        get: operations["listAudienceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get progress
         * @description Returns the progress of the load that is running or next to run. If there is none, of the latest load. With `Accept: text/event-stream` the response is a stream of `progress` events with the same fields: one immediately, then about one per second until the job ends. The last event has queue_position null. Comment lines keep an idle stream open. At most 50 streams can be open at the same time.
         */
        get: operations["getAudienceProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/rejects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download rejected rows
         * @description Returns the rows that were rejected when each file was last loaded, ordered by file and line, at most 10,000 per file. The problem "rejects_left_out" counts those left out beyond that and beyond the limits of a job. They are kept for 30 days after the load ends. In the CSV, a cell that a spreadsheet would run as a formula is prefixed with an apostrophe, and invalid UTF-8 is replaced. Send `Accept: application/x-ndjson` to get the exact bytes.
         */
        get: operations["downloadAudienceRejects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List watches
         * @description Returns the watches, ordered by watch_id.
         */
        get: operations["listAudienceWatches"];
        put?: never;
        /**
         * Create a watch
         * @description Appends every file that appears under a path of the shared bucket to the audience, each with a load of its own, in the order of their last change and key. A version of a file is appended once: it is identified by its key and ETag. Files whose names begin with `_` or `.` are not appended. A file that fails does not stop the others. After several failures in a row, the watch is paused. If the audience is cleared, files that were appended before are not appended again.
         */
        post: operations["createAudienceWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/watch/{watch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a watch
         * @description Returns the watch, with counts of its files.
         */
        get: operations["getAudienceWatch"];
        put?: never;
        post?: never;
        /**
         * Remove a watch
         * @description No more files are queued. Jobs that are already in the queue still run. The credentials of the watch are deleted. A new watch of the same path loads all files again, unless it skips existing files.
         */
        delete: operations["removeAudienceWatch"];
        options?: never;
        head?: never;
        /**
         * Change a watch
         * @description Send at least one field. Fields that you leave out keep their values. The watch remembers which files it has loaded. Jobs that are already in the queue keep the old settings.
         */
        patch: operations["changeAudienceWatch"];
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/watch/{watch_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a watch
         * @description Returns the versions of files that the watch has found, the latest first, and how they were loaded. A version whose file was deleted or replaced is listed for 30 more days.
         */
        get: operations["listAudienceWatchFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/firstparty/audience/{audience_id}/watch/{watch_id}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the files of a watch now
         * @description Lists the files without waiting for the next scheduled listing, but not sooner than 30 seconds after the last one. Call it when your bucket sends a notification, for example. A paused watch lists its files when it is resumed.
         */
        post: operations["pollAudienceWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getStorage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Bytes in the embedded object store, of objects and of parts of open multipart uploads. 0 if the shared bucket is in an external store. */
                        bytes: number;
                        /** @description Multipart uploads that are neither completed nor aborted. */
                        open_uploads: number;
                        /** @description The most bytes. Uploads beyond it are refused. Null for any number. */
                        quota: number | null;
                        /**
                         * @description A file is deleted this many days after it was last loaded, or after its upload if it never was. A file that a pending or running job may read stays. Null: files are kept for good.
                         * @example 30
                         */
                        uploads_kept_days: number | null;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Path of the file, relative to your prefix in the shared bucket. No `.` or `..` segments and no trailing `/`.
                     * @example 2026/devices.csv
                     */
                    path: string;
                };
            };
        };
        responses: {
            /** @description Created. The upload must begin before `expires_at`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description The path as sent. Send it as file_path to queue an import.
                         * @example 2026/devices.csv
                         */
                        file_path: string;
                        /**
                         * @description The key of the object. Send it as file_path to load an audience.
                         * @example partner-1/2026/devices.csv
                         */
                        s3_path: string;
                        /** @description `PUT` the bytes here. */
                        url: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAttributes: {
        parameters: {
            query?: {
                /**
                 * @description Return only attributes that follow the one with this attribute_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of attributes. Defaults to 1000.
                 * @example 100
                 */
                limit?: number;
                /** @description Only attributes whose name or partner_foreign_key contains this text, ignoring case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by the service. key_type 0 refers to it.
                         * @example 1
                         */
                        attribute_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        description: string;
                        /** @example Autos > Intenders */
                        name: string;
                        /** @description Your own key. key_type 1 refers to it. */
                        partner_foreign_key: string | null;
                        /** @description Distinct devices that have the attribute now. */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    createAttribute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Description of the attribute. May be empty.
                     * @default
                     * @example In the market for a car
                     */
                    description?: string;
                    /**
                     * @description Name of the attribute; `" > "` separates levels of a hierarchy. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example Autos > Intenders
                     */
                    name: string;
                    /**
                     * @description Your own key for the attribute, unique among your attributes. It must not contain `|` or control characters, or begin or end with a space.
                     * @example autos-intenders
                     */
                    partner_foreign_key?: string;
                };
                /**
                 * @example name,description,partnerkey
                 *     Autos,,autos
                 *     Autos > Intenders,In the market for a car,autos-intenders
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the attribute, or of the list of attributes for a taxonomy. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the new attribute.
                         * @example 1
                         */
                        attribute_id: number;
                    } | {
                        /** @description The ids of a taxonomy, in the order of its lines. */
                        attribute_ids: number[];
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getAttribute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the attribute.
                 * @example 1
                 */
                attribute_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by the service. key_type 0 refers to it.
                         * @example 1
                         */
                        attribute_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        description: string;
                        /** @example Autos > Intenders */
                        name: string;
                        /** @description Your own key. key_type 1 refers to it. */
                        partner_foreign_key: string | null;
                        /** @description Distinct devices that have the attribute now. */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    deleteAttribute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the attribute.
                 * @example 1
                 */
                attribute_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is queued. */
            202: {
                headers: {
                    /** @description The path of the import log. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the job. Follow the job with Get import log.
                         * @example 1
                         */
                        import_log_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    changeAttribute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the attribute.
                 * @example 1
                 */
                attribute_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Description of the attribute. May be empty.
                     * @example In the market for a car
                     */
                    description?: string;
                    /**
                     * @description Name of the attribute; `" > "` separates levels of a hierarchy. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example Autos > Intenders
                     */
                    name?: string;
                    /**
                     * @description Unique among your attributes. Send null to remove it. It must not contain `|` or control characters, or begin or end with a space.
                     * @example autos-intenders
                     */
                    partner_foreign_key?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by the service. key_type 0 refers to it.
                         * @example 1
                         */
                        attribute_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        description: string;
                        /** @example Autos > Intenders */
                        name: string;
                        /** @description Your own key. key_type 1 refers to it. */
                        partner_foreign_key: string | null;
                        /** @description Distinct devices that have the attribute now. */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAttributeHistory: {
        parameters: {
            query?: {
                /**
                 * @description Return only changes that follow the one with this number. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of changes. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the attribute.
                 * @example 1
                 */
                attribute_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        changed_at: string;
                        /**
                         * @description Counts the changes of the attribute.
                         * @example 1
                         */
                        number: number;
                        /**
                         * @description `import` and `replace`: an import in that mode. `deletion`: its data was deleted. `privacy`: devices were deleted by a privacy request.
                         * @example import
                         * @enum {unknown}
                         */
                        reason: "import" | "replace" | "deletion" | "privacy";
                        /**
                         * @description Distinct devices that had the attribute after the change.
                         * @example 1000
                         */
                        unique_devices: number;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getBucketRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The service sends it when it assumes your role. It is yours alone and never changes.
                         * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                         */
                        external_id: string;
                        /**
                         * @description The ARN that assumes your role. Null if this service does not assume roles.
                         * @example arn:aws:iam::123456789012:user/tributary
                         */
                        principal: string | null;
                        /**
                         * @description The trust policy for your role. Null if this service does not assume roles.
                         * @example {
                         *       "Version": "2012-10-17",
                         *       "Statement": [
                         *         {
                         *           "Effect": "Allow",
                         *           "Principal": {
                         *             "AWS": "arn:aws:iam::123456789012:user/tributary"
                         *           },
                         *           "Action": "sts:AssumeRole",
                         *           "Condition": {
                         *             "StringEquals": {
                         *               "sts:ExternalId": "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
                         *             }
                         *           }
                         *         }
                         *       ]
                         *     }
                         */
                        trust_policy: {
                            [key: string]: unknown;
                        } | null;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listImportLogs: {
        parameters: {
            query?: {
                /**
                 * @description Return only jobs that follow the one with this import_log_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of jobs. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Null, or one entry per kind of problem and file, the one that failed the import first. Also lists rejected rows of a successful import. */
                        errors: {
                            /** @example malformed_id */
                            code: string;
                            /** @description Column of the cell, starting at 1. */
                            column: number | null;
                            /** @description Number of occurrences in the file. */
                            count: number;
                            /** @description The key of the file with your prefix, or `s3://…` for a file in your own bucket. */
                            file: string | null;
                            /** @description Line of the first occurrence, starting at 1. */
                            line: number | null;
                            message: string;
                            /** @description The invalid cell, truncated to 256 characters. */
                            value: string | null;
                        }[] | null;
                        /**
                         * @description The path as submitted. Empty for a deletion.
                         * @example devices.csv
                         */
                        file_path: string;
                        /**
                         * @description The id of the job.
                         * @example 1
                         */
                        import_log_id: number;
                        /** @description 0 = attribute_id, 1 = partner_foreign_key. */
                        key_type: number;
                        /**
                         * @description For a deletion, the keys as sent. Otherwise null.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description 0 = import, 1 = deletion of attribute data, 2 = dry run, 3 = devices that the operator had to remove, because their owners asked for it.
                         * @example 0
                         */
                        log_type: number;
                        /**
                         * @description 0 = shared bucket, 1 = your own bucket.
                         * @example 0
                         */
                        path_type: number;
                        /**
                         * @description 0 = pending, 1 = importing, 2 = done, 3 = error. After an error nothing was applied.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Data rows read, including rejected rows. For a deletion, the deleted pairs of device and attribute; for log_type 3, of device and attribute or audience. "0" until the job ends.
                         * @example 1200
                         */
                        total_rows: string;
                        /**
                         * @description Distinct devices in the accepted rows. For a deletion, distinct devices that lost an attribute. For log_type 3, the most that one attribute or audience lost. "0" until the job ends.
                         * @example 1200
                         */
                        unique_devices: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    queueImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether the files are compressed with gzip. If a file does not match, the import fails. If left out, gzip and zstd are detected from the content of each file. */
                    compressed?: boolean;
                    /**
                     * @description Required with path_type 1, not allowed otherwise: the credentials that read your bucket, either keys or a role. They are stored encrypted and deleted when the import ends.
                     * @example {
                     *       "accessKeyId": "AKIA…",
                     *       "secretAccessKey": "…",
                     *       "region": "us-east-1"
                     *     }
                     */
                    credentials?: {
                        /** @description Access key ID. Required without a role. */
                        accessKeyId?: string;
                        /** @description The region of your bucket, for example `us-east-1`. */
                        region: string;
                        /** @description Instead of keys: a role that the service assumes. Its trust policy must name the external ID from `GET /v1/marketplace/bucket-role`. */
                        roleArn?: string;
                        /** @description Secret access key. Required without a role. */
                        secretAccessKey?: string;
                        /** @description Only for temporary keys. They must be valid until the job has ended. */
                        sessionToken?: string;
                    };
                    /**
                     * @description Reads and checks all files and reports counts and errors in the import log, but applies nothing.
                     * @default false
                     */
                    dry_run?: boolean;
                    /**
                     * @description With path_type 0: a path relative to your prefix in the shared bucket. With path_type 1: `s3://<bucket>/<path>`. If no file has exactly this key, every file whose key begins with it is loaded. `..` segments are not allowed.
                     * @example devices.csv
                     */
                    file_path: string;
                    /**
                     * @description Type of the keys in the file: 0 = attribute_id, 1 = partner_foreign_key.
                     * @example 1
                     * @enum {unknown}
                     */
                    key_type: 0 | 1;
                    /**
                     * @description `merge` adds and removes devices row by row. `replace` replaces the devices of every attribute in the import with those in its files, all at the same time. With `replace`, a row with operation 1 fails the import.
                     * @default merge
                     * @enum {unknown}
                     */
                    mode?: "merge" | "replace";
                    /**
                     * @description Where the file is: 0 = the shared bucket, 1 = your own bucket.
                     * @default 0
                     * @enum {unknown}
                     */
                    path_type?: 0 | 1;
                };
            };
        };
        responses: {
            /** @description The job is queued. */
            202: {
                headers: {
                    /** @description The path of the import log. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the job. Follow the job with Get import log.
                         * @example 1
                         */
                        import_log_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    deleteAttributeData: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Type of the keys: 0 = attribute_id, 1 = partner_foreign_key.
                     * @example 1
                     * @enum {unknown}
                     */
                    key_type: 0 | 1;
                    /** @description The attributes whose data is deleted. */
                    keys: string[];
                };
            };
        };
        responses: {
            /** @description The job is queued. */
            202: {
                headers: {
                    /** @description The path of the import log. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the job. Follow the job with Get import log.
                         * @example 1
                         */
                        import_log_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getImportLog: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=30`: respond when the job has ended, or after 30 seconds. 30 seconds at most. `Preference-Applied` has the time that was applied. If 50 of your requests and event streams are open, the response is sent at once without that header: ask again after a few seconds. */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The id returned when the job was queued.
                 * @example 1
                 */
                import_log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    /** @description The longest wait that was applied, such as `wait=30`. Absent if the request did not ask for one, or was not allowed to wait. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Null, or one entry per kind of problem and file, the one that failed the import first. Also lists rejected rows of a successful import. */
                        errors: {
                            /** @example malformed_id */
                            code: string;
                            /** @description Column of the cell, starting at 1. */
                            column: number | null;
                            /** @description Number of occurrences in the file. */
                            count: number;
                            /** @description The key of the file with your prefix, or `s3://…` for a file in your own bucket. */
                            file: string | null;
                            /** @description Line of the first occurrence, starting at 1. */
                            line: number | null;
                            message: string;
                            /** @description The invalid cell, truncated to 256 characters. */
                            value: string | null;
                        }[] | null;
                        /**
                         * @description The path as submitted. Empty for a deletion.
                         * @example devices.csv
                         */
                        file_path: string;
                        /**
                         * @description The id of the job.
                         * @example 1
                         */
                        import_log_id: number;
                        /** @description 0 = attribute_id, 1 = partner_foreign_key. */
                        key_type: number;
                        /**
                         * @description For a deletion, the keys as sent. Otherwise null.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description 0 = import, 1 = deletion of attribute data, 2 = dry run, 3 = devices that the operator had to remove, because their owners asked for it.
                         * @example 0
                         */
                        log_type: number;
                        /**
                         * @description 0 = shared bucket, 1 = your own bucket.
                         * @example 0
                         */
                        path_type: number;
                        /**
                         * @description 0 = pending, 1 = importing, 2 = done, 3 = error. After an error nothing was applied.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Data rows read, including rejected rows. For a deletion, the deleted pairs of device and attribute; for log_type 3, of device and attribute or audience. "0" until the job ends.
                         * @example 1200
                         */
                        total_rows: string;
                        /**
                         * @description Distinct devices in the accepted rows. For a deletion, distinct devices that lost an attribute. For log_type 3, the most that one attribute or audience lost. "0" until the job ends.
                         * @example 1200
                         */
                        unique_devices: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listImportFiles: {
        parameters: {
            query?: {
                /**
                 * @description Return only files that follow the one with this number in the list. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of files. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id returned when the job was queued.
                 * @example 1
                 */
                import_log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example 0 */
                        rejected_rows: number;
                        /**
                         * @description The key with your prefix, or `s3://…` for a file in your own bucket.
                         * @example partner-1/devices.csv
                         */
                        s3_path: string;
                        /**
                         * @description 0 = not read yet, 1 = being read, 2 = read, 3 = failed. If a file fails, the import fails.
                         * @example 2
                         */
                        status: number;
                        /** @description Data rows read, including rejected rows. */
                        total_rows: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getImportProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id returned when the job was queued.
                 * @example 1
                 */
                import_log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Bytes read so far, as stored (compressed files count compressed).
                         * @example 52428800
                         */
                        bytes_read: number;
                        /**
                         * @description Size of all files of the job. 0 until the files are listed.
                         * @example 104857600
                         */
                        bytes_total: number;
                        /**
                         * @description Estimated seconds until the rest is read, at the average speed so far. 0 after the job ends, null if unknown.
                         * @example 2
                         */
                        eta_seconds: number | null;
                        /**
                         * @description 0 = running, 1 = the next of your jobs to run. Null after the job ends.
                         * @example 0
                         */
                        queue_position: number | null;
                        /**
                         * @description Average rows per second since the job began. Null until rows have been read.
                         * @example 700000
                         */
                        rows_per_second: number | null;
                        /** @example 1400000 */
                        rows_read: number;
                        /**
                         * @description The id of the job directly ahead, or null. It is an import_log_id unless that job loads an audience.
                         * @example null
                         */
                        waiting_for: number | null;
                    };
                    "text/event-stream": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    downloadRejects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id returned when the job was queued.
                 * @example 1
                 */
                import_log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rejected rows. */
            200: {
                headers: {
                    /** @description The file name of the download. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        /** @example malformed_id */
                        code: string;
                        /**
                         * @description Encoding of `original`: `base64` if its bytes are not valid UTF-8.
                         * @enum {unknown}
                         */
                        encoding: "utf-8" | "base64";
                        /** @example partner-1/devices.csv */
                        file: string;
                        /**
                         * @description Line in the file, starting at 1.
                         * @example 17
                         */
                        line: number;
                        /**
                         * @description The line, truncated to 1 KiB.
                         * @example n/a,autos
                         */
                        original: string;
                    };
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listWatches: {
        parameters: {
            query?: {
                /**
                 * @description Return only watches that follow the one with this watch_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of watches. Defaults to 1000.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    createWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether the files are compressed with gzip. If a file does not match, the import fails. If left out, gzip and zstd are detected from the content of each file. */
                    compressed?: boolean;
                    /**
                     * @description Required with path_type 1, not allowed otherwise: the credentials that read your bucket, either keys or a role. They are stored encrypted and deleted when the import ends.
                     * @example {
                     *       "accessKeyId": "AKIA…",
                     *       "secretAccessKey": "…",
                     *       "region": "us-east-1"
                     *     }
                     */
                    credentials?: {
                        /** @description Access key ID. Required without a role. */
                        accessKeyId?: string;
                        /** @description The region of your bucket, for example `us-east-1`. */
                        region: string;
                        /** @description Instead of keys: a role that the service assumes. Its trust policy must name the external ID from `GET /v1/marketplace/bucket-role`. */
                        roleArn?: string;
                        /** @description Secret access key. Required without a role. */
                        secretAccessKey?: string;
                        /** @description Only for temporary keys. They must be valid until the job has ended. */
                        sessionToken?: string;
                    };
                    /**
                     * @description Whether files that are there when the watch is created are loaded. `skip` leaves out files whose last change is before that, by the clock of the bucket.
                     * @default load
                     * @enum {unknown}
                     */
                    existing_files?: "load" | "skip";
                    /**
                     * @description Every file whose key begins with it is loaded. With path_type 0: relative to your prefix in the shared bucket. With path_type 1: `s3://<bucket>/<path>`. `..` segments are not allowed.
                     * @example daily/
                     */
                    file_path: string;
                    /**
                     * @description Type of the keys in the file: 0 = attribute_id, 1 = partner_foreign_key.
                     * @example 1
                     * @enum {unknown}
                     */
                    key_type: 0 | 1;
                    /**
                     * @description Name of a marker file, such as `_SUCCESS`. Files of a folder are loaded when the folder has this file and it is not older than they are. The name must begin with `_` or `.`; such files are never loaded.
                     * @example _SUCCESS
                     */
                    marker?: string;
                    /**
                     * @description `merge` adds and removes devices row by row. `replace` replaces the devices of every attribute in the import with those in its files, all at the same time. With `replace`, a row with operation 1 fails the import.
                     * @default merge
                     * @enum {unknown}
                     */
                    mode?: "merge" | "replace";
                    /**
                     * @description Where the file is: 0 = the shared bucket, 1 = your own bucket.
                     * @default 0
                     * @enum {unknown}
                     */
                    path_type?: 0 | 1;
                    /**
                     * @description How often the files are listed, in seconds. A listing costs one request for every 1,000 objects under the path.
                     * @default 300
                     * @example 300
                     */
                    poll_seconds?: number;
                    /**
                     * @description A file is loaded when it has not changed for this many seconds. An object appears in a bucket as a whole, so 0 is right unless files are replaced soon after their upload.
                     * @default 0
                     * @example 60
                     */
                    settle_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    removeWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    changeWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    compressed?: boolean | null;
                    /**
                     * @description Required with path_type 1, not allowed otherwise: the credentials that read your bucket, either keys or a role. They are stored encrypted and deleted when the import ends.
                     * @example {
                     *       "accessKeyId": "AKIA…",
                     *       "secretAccessKey": "…",
                     *       "region": "us-east-1"
                     *     }
                     */
                    credentials?: {
                        /** @description Access key ID. Required without a role. */
                        accessKeyId?: string;
                        /** @description The region of your bucket, for example `us-east-1`. */
                        region: string;
                        /** @description Instead of keys: a role that the service assumes. Its trust policy must name the external ID from `GET /v1/marketplace/bucket-role`. */
                        roleArn?: string;
                        /** @description Secret access key. Required without a role. */
                        secretAccessKey?: string;
                        /** @description Only for temporary keys. They must be valid until the job has ended. */
                        sessionToken?: string;
                    };
                    /** @enum {unknown} */
                    key_type?: 0 | 1;
                    /** @description Another marker file. Null: no marker. */
                    marker?: string | null;
                    /** @enum {unknown} */
                    mode?: "merge" | "replace";
                    /**
                     * @description How often the files are listed, in seconds. A listing costs one request for every 1,000 objects under the path.
                     * @example 300
                     */
                    poll_seconds?: number;
                    /**
                     * @description True: failed and cancelled files are loaded again, even if they have not changed.
                     * @example true
                     */
                    retry_failed?: boolean;
                    /**
                     * @description A file is loaded when it has not changed for this many seconds. An object appears in a bucket as a whole, so 0 is right unless files are replaced soon after their upload.
                     * @example 60
                     */
                    settle_seconds?: number;
                    /**
                     * @description `paused` stops the watch; `active` resumes it, and lists the files at once.
                     * @enum {unknown}
                     */
                    state?: "active" | "paused";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listWatchFiles: {
        parameters: {
            query?: {
                /**
                 * @description Return only files that follow the one with this file_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of files. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /** @description Only files in this state. Without it, all but hidden files. */
                state?: "waiting" | "queued" | "loaded" | "failed" | "cancelled" | "replaced" | "skipped" | "hidden";
            };
            header?: never;
            path: {
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example d41d8cd98f00b204e9800998ecf8427e */
                        etag: string;
                        /**
                         * @description Grows in the order in which the files were found.
                         * @example 1
                         */
                        file_id: number;
                        /**
                         * @description The job that loads the file, for imports also its import_log_id. Null if there is none.
                         * @example 1
                         */
                        job_id: number | null;
                        /** @example partner-1/daily/2026-01-31.csv */
                        key: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        modified_at: string;
                        /** @example 1024 */
                        size: number;
                        /**
                         * @description `waiting`: not queued yet. `queued`: its job has not ended. `loaded`, `failed`: how the job ended. `cancelled`: the audience was cleared meanwhile. `replaced`: the file was replaced or deleted before this version was read. `skipped`: it was there before the watch. `hidden`: its name begins with `_` or `.`.
                         * @example loaded
                         * @enum {unknown}
                         */
                        state: "waiting" | "queued" | "loaded" | "failed" | "cancelled" | "replaced" | "skipped" | "hidden";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    pollWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files are listed shortly. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /**
                 * @description The first month. 11 months before `until` if left out.
                 * @example 2026-01
                 */
                since?: string;
                /**
                 * @description The last month. This month if left out.
                 * @example 2026-01
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry for each month and partner with any use, the newest month first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The most devices in its attributes and audiences at one time, sampled every 10 minutes. A device counts once for each attribute and audience.
                         * @example 1000
                         */
                        devices: number;
                        /**
                         * @description A month in UTC.
                         * @example 2026-01
                         */
                        month: string;
                        /**
                         * @description The most bytes in the embedded object store at one time.
                         * @example 1000
                         */
                        object_bytes: number;
                        /**
                         * @description The partner.
                         * @example 1
                         */
                        partner_id: number;
                        /** @example acme */
                        partner_name: string;
                        /**
                         * @description Requests with its API keys, and requests to the embedded object store. Counts arrive within about 5 seconds.
                         * @example 1000
                         */
                        requests: number;
                        /**
                         * @description Rows of committed imports, and valid rows of loaded audience files.
                         * @example 1000
                         */
                        rows: number;
                        /**
                         * @description The most bytes of its device sets at one time.
                         * @example 1000
                         */
                        set_bytes: number;
                    }[];
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Devices in all attributes and audiences together. Beyond it, loads are refused or fail with `quota_exceeded`. Null for any number.
                         * @example 1000000
                         */
                        devices: number | null;
                        /**
                         * @description Requests per month. Beyond it: 429 `rate_limited`, and `QuotaExceeded` in the object store. Null for any number.
                         * @example 1000000
                         */
                        requests: number | null;
                        /**
                         * @description Rows loaded per month. Beyond it, loads are refused or fail with `quota_exceeded`. Null for any number.
                         * @example 1000000
                         */
                        rows: number | null;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example production */
                        description: string;
                        /**
                         * @description Null if events are sent. While you or the operator have disabled it, its events wait.
                         * @example null
                         */
                        disabled_at: string | null;
                        /**
                         * @description Who disabled it: you, the operator, or the service, because the receiver answered 410 (`gone`) or failed for 5 days (`failing`).
                         * @example null
                         */
                        disabled_by: ("partner" | "operator" | "gone" | "failing") | null;
                        /**
                         * @description The types of events that are sent. Null: all.
                         * @example null
                         */
                        events: string[] | null;
                        /**
                         * @description Since when every attempt has failed. Null if the last one succeeded.
                         * @example null
                         */
                        failing_since: string | null;
                        /**
                         * @description Until when events are also signed with the previous secret. Null: they are not.
                         * @example null
                         */
                        previous_secret_until: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /** @example https://acme.example/tributary */
                        url: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        webhook_id: number;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A note for yourself.
                     * @example production
                     */
                    description?: string;
                    /**
                     * @description The types of events to send. Null: all, including types that are added later. `import.finished`: An import, or a dry run, is done. `data` is its import log. `import.failed`: An import or a deletion failed. `data` is its import log. `deletion.finished`: A deletion of attribute data is done. `data` is its import log. `audience.loaded`: A load of an audience is done. `data` is the audience. Its `status` is 3 if a file failed. `audience.file_failed`: A file of an audience failed, or its load as a whole. `data` is the error, with `audience_id` and the `path` of the load. `audience.cleared`: An audience was cleared. `data` is the audience. `composition.updated`: An audience's composition was computed, and its history has a new entry. `data` is the audience, with the new `matched_devices`. `watch.paused`: The service paused a watch after repeated failures or too many files. `data` is the watch. `privacy.applied`: Devices were removed from your data because their owners asked for it. `data` is the import log, with `log_type` 3.
                     * @example [
                     *       "import.finished",
                     *       "import.failed"
                     *     ]
                     */
                    events?: ("import.finished" | "import.failed" | "deletion.finished" | "audience.loaded" | "audience.file_failed" | "audience.cleared" | "composition.updated" | "watch.paused" | "privacy.applied")[] | null;
                    /**
                     * @description Where events are sent. It must begin with `https://` and be reachable from the public internet, unless the operator allows other addresses.
                     * @example https://acme.example/tributary
                     */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the webhook. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example production */
                        description: string;
                        /**
                         * @description Null if events are sent. While you or the operator have disabled it, its events wait.
                         * @example null
                         */
                        disabled_at: string | null;
                        /**
                         * @description Who disabled it: you, the operator, or the service, because the receiver answered 410 (`gone`) or failed for 5 days (`failing`).
                         * @example null
                         */
                        disabled_by: ("partner" | "operator" | "gone" | "failing") | null;
                        /**
                         * @description The types of events that are sent. Null: all.
                         * @example null
                         */
                        events: string[] | null;
                        /**
                         * @description Since when every attempt has failed. Null if the last one succeeded.
                         * @example null
                         */
                        failing_since: string | null;
                        /**
                         * @description Until when events are also signed with the previous secret. Null: they are not.
                         * @example null
                         */
                        previous_secret_until: string | null;
                        /**
                         * @description Verifies signatures. It is returned only in this response; the service stores it encrypted.
                         * @example whsec_…
                         */
                        secret: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /** @example https://acme.example/tributary */
                        url: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        webhook_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example production */
                        description: string;
                        /**
                         * @description Null if events are sent. While you or the operator have disabled it, its events wait.
                         * @example null
                         */
                        disabled_at: string | null;
                        /**
                         * @description Who disabled it: you, the operator, or the service, because the receiver answered 410 (`gone`) or failed for 5 days (`failing`).
                         * @example null
                         */
                        disabled_by: ("partner" | "operator" | "gone" | "failing") | null;
                        /**
                         * @description The types of events that are sent. Null: all.
                         * @example null
                         */
                        events: string[] | null;
                        /**
                         * @description Since when every attempt has failed. Null if the last one succeeded.
                         * @example null
                         */
                        failing_since: string | null;
                        /**
                         * @description Until when events are also signed with the previous secret. Null: they are not.
                         * @example null
                         */
                        previous_secret_until: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /** @example https://acme.example/tributary */
                        url: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        webhook_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    removeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A note for yourself.
                     * @example production
                     */
                    description?: string;
                    /** @example false */
                    disabled?: boolean;
                    /**
                     * @description The types of events to send. Null: all, including types that are added later. `import.finished`: An import, or a dry run, is done. `data` is its import log. `import.failed`: An import or a deletion failed. `data` is its import log. `deletion.finished`: A deletion of attribute data is done. `data` is its import log. `audience.loaded`: A load of an audience is done. `data` is the audience. Its `status` is 3 if a file failed. `audience.file_failed`: A file of an audience failed, or its load as a whole. `data` is the error, with `audience_id` and the `path` of the load. `audience.cleared`: An audience was cleared. `data` is the audience. `composition.updated`: An audience's composition was computed, and its history has a new entry. `data` is the audience, with the new `matched_devices`. `watch.paused`: The service paused a watch after repeated failures or too many files. `data` is the watch. `privacy.applied`: Devices were removed from your data because their owners asked for it. `data` is the import log, with `log_type` 3.
                     * @example [
                     *       "import.finished",
                     *       "import.failed"
                     *     ]
                     */
                    events?: ("import.finished" | "import.failed" | "deletion.finished" | "audience.loaded" | "audience.file_failed" | "audience.cleared" | "composition.updated" | "watch.paused" | "privacy.applied")[] | null;
                    /**
                     * @description Where events are sent. It must begin with `https://` and be reachable from the public internet, unless the operator allows other addresses.
                     * @example https://acme.example/tributary
                     */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example production */
                        description: string;
                        /**
                         * @description Null if events are sent. While you or the operator have disabled it, its events wait.
                         * @example null
                         */
                        disabled_at: string | null;
                        /**
                         * @description Who disabled it: you, the operator, or the service, because the receiver answered 410 (`gone`) or failed for 5 days (`failing`).
                         * @example null
                         */
                        disabled_by: ("partner" | "operator" | "gone" | "failing") | null;
                        /**
                         * @description The types of events that are sent. Null: all.
                         * @example null
                         */
                        events: string[] | null;
                        /**
                         * @description Since when every attempt has failed. Null if the last one succeeded.
                         * @example null
                         */
                        failing_since: string | null;
                        /**
                         * @description Until when events are also signed with the previous secret. Null: they are not.
                         * @example null
                         */
                        previous_secret_until: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /** @example https://acme.example/tributary */
                        url: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        webhook_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Return only deliveries that follow the one with this delivery_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of deliveries. Defaults to 50.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The last 20 attempts, the oldest first. */
                        attempts: {
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            attempted_at: string;
                            /** @example 120 */
                            duration_ms: number;
                            /**
                             * @description Why there was no answer.
                             * @example null
                             */
                            error: string | null;
                            /**
                             * @description The first kilobyte of the response, if it is an error and a text.
                             * @example null
                             */
                            response: string | null;
                            /**
                             * @description The status of the receiver's answer. Null if there was none.
                             * @example 204
                             */
                            status: number | null;
                        }[];
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        delivery_id: number;
                        /**
                         * @description The header `webhook-id` of all attempts.
                         * @example msg_0123456789abcdef0123456789abcdef
                         */
                        event_id: string;
                        /**
                         * @description The earliest time of the next attempt. Null if there will be no more attempts.
                         * @example null
                         */
                        next_attempt_at: string | null;
                        /**
                         * @description `failed`: 10 attempts failed, and there will be no more.
                         * @example delivered
                         * @enum {unknown}
                         */
                        state: "pending" | "delivered" | "failed";
                        /**
                         * @description The type of the event, or `webhook.test`.
                         * @example import.finished
                         */
                        type: string;
                    }[];
                    "text/event-stream": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The event, as in the list of deliveries.
                     * @example msg_0123456789abcdef0123456789abcdef
                     */
                    event_id: string;
                } | {
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC with milliseconds.
                     * @example 2026-01-31T12:00:00.000Z
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description They are sent as soon as possible. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description How many are sent again.
                         * @example 1
                         */
                        events: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description For how many hours events are also signed with the previous secret. Defaults to 24.
                     * @example 24
                     */
                    overlap_hours?: number;
                } | null;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        previous_secret_until: string | null;
                        /**
                         * @description Verifies signatures. It is returned only in this response; the service stores it encrypted.
                         * @example whsec_…
                         */
                        secret: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the webhook.
                 * @example 1
                 */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is sent within a few seconds. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example msg_0123456789abcdef0123456789abcdef */
                        event_id: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudiences: {
        parameters: {
            query?: {
                /**
                 * @description Return only audiences that follow the one with this audience_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of audiences. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Identifies the composition report in the console: `/console/segments/<id>`.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description The unique devices that have an attribute of the marketplace. If reports are protected, the number of the last report, with its noise; 0 below the suppression threshold, and before the first report.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description 0 = pending, 1 = running, 2 = finished without errors, 3 = error: a file failed, or the latest load failed as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices in the audience now.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, including duplicates.
                         * @example 1200
                         */
                        uploaded_devices: number;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    createAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A path relative to your prefix in the shared bucket. You can also include the prefix, or send `s3://<bucket>/<prefix>…`. If no file has exactly this key, every file whose key begins with it is loaded. `..` segments are not allowed.
                     * @example audience.csv
                     */
                    file_path: string;
                    /**
                     * @description Name of the audience; need not be unique. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example Summer sale
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The audience is created and its load is queued. */
            201: {
                headers: {
                    /** @description The path of the audience. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the new audience.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * @description Identifies the composition report in the console: `/console/segments/<id>`.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=30`: respond when the job has ended, or after 30 seconds. 30 seconds at most. `Preference-Applied` has the time that was applied. If 50 of your requests and event streams are open, the response is sent at once without that header: ask again after a few seconds. */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The audience. */
            200: {
                headers: {
                    /** @description The longest wait that was applied, such as `wait=30`. Absent if the request did not ask for one, or was not allowed to wait. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Identifies the composition report in the console: `/console/segments/<id>`.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /** @description The files since the last clear, in the order of their first load. A file is listed when its load begins. */
                        file: {
                            /**
                             * @description Valid rows of the last successful load of the file. 0 if there is none.
                             * @example 1200
                             */
                            rows_uploaded: number;
                            /**
                             * @description The key with your prefix.
                             * @example partner-1/audience.csv
                             */
                            s3_path: string;
                            /**
                             * @description 0 = pending, 1 = running, 2 = finished without errors, 3 = error.
                             * @example 2
                             */
                            status: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            updated_at: string;
                        }[];
                        /**
                         * @description The unique devices that have an attribute of the marketplace. If reports are protected, the number of the last report, with its noise; 0 below the suppression threshold, and before the first report.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description 0 = pending, 1 = running, 2 = finished without errors, 3 = error: a file failed, or the latest load failed as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices in the audience now.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, including duplicates.
                         * @example 1200
                         */
                        uploaded_devices: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    clearAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cleared. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    appendFiles: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A path relative to your prefix in the shared bucket. You can also include the prefix, or send `s3://<bucket>/<prefix>…`. If no file has exactly this key, every file whose key begins with it is loaded. `..` segments are not allowed.
                     * @example audience.csv
                     */
                    file_path: string;
                };
            };
        };
        responses: {
            /** @description Queued. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getComposition: {
        parameters: {
            query?: {
                /**
                 * @description What the audience is compared with. `universe` (the default): every device that has an attribute. `partner:<id>`: the devices known to this supplier, and only its attributes. `audience:<id>`: another audience of the same customer.
                 * @example partner:1
                 */
                baseline?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Every attribute of the marketplace, or of the supplier that was chosen as the baseline, ordered by attribute_id. */
                        attributes: {
                            /**
                             * @description An attribute of any partner.
                             * @example 1
                             */
                            attribute_id: number;
                            /**
                             * @description Matched devices of the audience that have the attribute.
                             * @example 200
                             */
                            audience_devices: number | null;
                            /**
                             * @description Share of the matched devices, or of those known to the supplier.
                             * @example 0.2
                             */
                            audience_share: number | null;
                            /**
                             * @description Upper bound of the 95% confidence interval of audience_share.
                             * @example 0.2259
                             */
                            audience_share_high: number | null;
                            /**
                             * @description Lower bound of the 95% confidence interval of audience_share (Wilson score interval).
                             * @example 0.1764
                             */
                            audience_share_low: number | null;
                            /**
                             * @description Devices of the baseline that have the attribute.
                             * @example 1000
                             */
                            baseline_devices: number | null;
                            /**
                             * @description Share of the baseline. Null if the baseline is empty.
                             * @example 0.1
                             */
                            baseline_share: number | null;
                            /**
                             * @description Whether audience_devices and baseline_devices are exact. Otherwise they have noise, and what is computed from them takes it into account.
                             * @example true
                             */
                            exact: boolean;
                            /**
                             * @description 100 × audience_share / baseline_share.
                             * @example 200
                             */
                            index: number | null;
                            /**
                             * @description Upper bound of the 95% confidence interval of the index.
                             * @example 223.8
                             */
                            index_high: number | null;
                            /**
                             * @description Lower bound of the 95% confidence interval of the index: of the ratio of shares, by its logarithm (delta method). It takes into account that the audience is part of the baseline. Two audiences are taken as independent.
                             * @example 178.73
                             */
                            index_low: number | null;
                            /** @example Autos > Intenders */
                            name: string;
                            /**
                             * @description The supplier of the attribute.
                             * @example 1
                             */
                            partner_id: number;
                            /**
                             * @description The false discovery rate of z among all attributes of the report (Benjamini–Hochberg): of the attributes with a q below 0.05, about 5% or fewer are expected to differ by chance alone.
                             * @example 0.0001
                             */
                            q: number | null;
                            /**
                             * @description Why figures are null. `audience_too_small`, `too_few_devices` (with the attribute) and `too_few_others` (without it): fewer devices than the suppression threshold, which is 50 unless the operator changes it. `too_few_in_baseline`: the same for the baseline. `no_devices_outside`: the audience is the whole baseline, so there is no z.
                             * @example null
                             */
                            suppressed: ("audience_too_small" | "too_few_devices" | "too_few_others" | "too_few_in_baseline" | "no_devices_outside") | null;
                            /**
                             * @description By how many standard errors audience_share exceeds the share among the devices of the baseline that are not in the audience (pooled two-proportion z-test).
                             * @example 11.11
                             */
                            z: number | null;
                        }[];
                        /**
                         * @description The id of the audience.
                         * @example 1
                         */
                        audience_id: number;
                        /** @description What the attributes are compared with. */
                        baseline: {
                            /**
                             * @description The devices of the audience that are compared: the matched ones, or those known to the supplier.
                             * @example 1000
                             */
                            audience_devices: number;
                            /**
                             * @description As in the query parameter `baseline`.
                             * @example universe
                             */
                            choice: string;
                            /**
                             * @description The devices that the audience is compared with.
                             * @example 10000
                             */
                            devices: number;
                            /**
                             * @description The name of the supplier or of the other audience. Null for the universe.
                             * @example null
                             */
                            name: string | null;
                        };
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        computed_at: string;
                        /**
                         * @description Identifies this report in the console: `/console/segments/<id>`.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /** @description What the report reveals of the data of other partners. */
                        disclosure: {
                            /**
                             * @description The time until which an outdated report is not refreshed, because the partner has reached its daily limit of reported contents. Null if a refresh is not held back.
                             * @example null
                             */
                            held_until: string | null;
                            /**
                             * @description `protected`: counts that depend on the data of other partners have noise. `exact`: none has.
                             * @example protected
                             * @enum {unknown}
                             */
                            mode: "exact" | "protected";
                            /**
                             * @description The scale of the noise (discrete Laplace distribution), in devices. The same contents always get the same noise. Null if there is no noise.
                             * @example 10
                             */
                            scale: number | null;
                            /**
                             * @description Whether universe_devices and matched_devices are exact. unique_devices and events always are.
                             * @example false
                             */
                            sizes_exact: boolean;
                        };
                        /** @description The event labels of the files, in order of first appearance. Their counts are exact and never withheld, because they come from the audience's own files. */
                        events: {
                            /**
                             * @description Distinct devices with this label.
                             * @example 500
                             */
                            devices: number;
                            /** @example purchase */
                            label: string;
                            /**
                             * @description Share of unique_devices. Null if there are none.
                             * @example 0.4
                             */
                            share: number | null;
                        }[];
                        /**
                         * @description The unique devices that are in the universe. Has noise if reports are protected.
                         * @example 1000
                         */
                        matched_devices: number;
                        /**
                         * @description Whether the audience or an attribute has changed since.
                         * @example false
                         */
                        stale: boolean;
                        /** @description Every partner that has attributes, ordered by name. */
                        suppliers: {
                            /** @example Northwind */
                            name: string;
                            /**
                             * @description The supplier, for `baseline=partner:<id>`.
                             * @example 1
                             */
                            partner_id: number;
                        }[];
                        /**
                         * @description Distinct devices in the audience.
                         * @example 1250
                         */
                        unique_devices: number;
                        /**
                         * @description All devices that have an attribute of any partner. Has noise if reports are protected.
                         * @example 10000
                         */
                        universe_devices: number;
                        /** @description The version of the universe that was used. */
                        universe_version: number;
                    };
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudienceErrors: {
        parameters: {
            query?: {
                /**
                 * @description Return only errors that follow the one with this number in the list. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of errors. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example malformed_id */
                        code: string;
                        /** @description Column of the cell, starting at 1. */
                        column: number | null;
                        /** @description Number of occurrences in the file. */
                        count: number;
                        /** @description The key of the file with your prefix, or `s3://…` for a file in your own bucket. */
                        file: string | null;
                        /** @description Line of the first occurrence, starting at 1. */
                        line: number | null;
                        message: string;
                        /** @description The invalid cell, truncated to 256 characters. */
                        value: string | null;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudienceHistory: {
        parameters: {
            query?: {
                /**
                 * @description Return only changes that follow the one with this number. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of changes. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        changed_at: string;
                        /**
                         * @description Share of the unique devices that are matched. Null if there are none.
                         * @example 0.8
                         */
                        match_rate: number | null;
                        /**
                         * @description The unique devices that are in the universe. Has noise if reports are protected.
                         * @example 1000
                         */
                        matched_devices: number;
                        /**
                         * @description Counts the changes of the audience.
                         * @example 1
                         */
                        number: number;
                        /**
                         * @description What led to the change. `load`: the first files since the audience was created or cleared. `append`: more files. `clear`: the audience was cleared. `privacy`: a privacy request deleted devices from the audience or from attributes. `attribute_import`, `attribute_deletion`: data of an attribute of any partner was loaded or deleted. Empty if an earlier version, which recorded no reasons, made the change.
                         * @example [
                         *       "append"
                         *     ]
                         */
                        reasons: ("load" | "append" | "clear" | "privacy" | "attribute_import" | "attribute_deletion")[];
                        /** @description The five attributes with the most devices of the audience, the largest first. Attributes whose figures the composition report would withhold are left out, and so are attributes that were deleted since. */
                        top_attributes: {
                            /**
                             * @description An attribute of any partner.
                             * @example 1
                             */
                            attribute_id: number;
                            /**
                             * @description Matched devices of the audience that have the attribute.
                             * @example 200
                             */
                            audience_devices: number;
                            /**
                             * @description Share of the matched devices.
                             * @example 0.2
                             */
                            audience_share: number | null;
                            /**
                             * @description 100 × audience_share / share of the universe.
                             * @example 200
                             */
                            index: number | null;
                            /** @example Autos > Intenders */
                            name: string;
                        }[];
                        /**
                         * @description Distinct devices in the audience.
                         * @example 1250
                         */
                        unique_devices: number;
                        /**
                         * @description All devices that have an attribute of any partner. Has noise if reports are protected.
                         * @example 10000
                         */
                        universe_devices: number;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getAudienceProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Bytes read so far, as stored (compressed files count compressed).
                         * @example 52428800
                         */
                        bytes_read: number;
                        /**
                         * @description Size of all files of the job. 0 until the files are listed.
                         * @example 104857600
                         */
                        bytes_total: number;
                        /**
                         * @description Estimated seconds until the rest is read, at the average speed so far. 0 after the job ends, null if unknown.
                         * @example 2
                         */
                        eta_seconds: number | null;
                        /**
                         * @description 0 = running, 1 = the next of your jobs to run. Null after the job ends.
                         * @example 0
                         */
                        queue_position: number | null;
                        /**
                         * @description Average rows per second since the job began. Null until rows have been read.
                         * @example 700000
                         */
                        rows_per_second: number | null;
                        /** @example 1400000 */
                        rows_read: number;
                        /**
                         * @description The id of the job directly ahead, or null. It is an import_log_id unless that job loads an audience.
                         * @example null
                         */
                        waiting_for: number | null;
                    };
                    "text/event-stream": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    downloadAudienceRejects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rejected rows. */
            200: {
                headers: {
                    /** @description The file name of the download. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        /** @example malformed_id */
                        code: string;
                        /**
                         * @description Encoding of `original`: `base64` if its bytes are not valid UTF-8.
                         * @enum {unknown}
                         */
                        encoding: "utf-8" | "base64";
                        /** @example partner-1/devices.csv */
                        file: string;
                        /**
                         * @description Line in the file, starting at 1.
                         * @example 17
                         */
                        line: number;
                        /**
                         * @description The line, truncated to 1 KiB.
                         * @example n/a,autos
                         */
                        original: string;
                    };
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudienceWatches: {
        parameters: {
            query?: {
                /**
                 * @description Return only watches that follow the one with this watch_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of watches. Defaults to 1000.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    createAudienceWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Whether files that are there when the watch is created are loaded. `skip` leaves out files whose last change is before that, by the clock of the bucket.
                     * @default load
                     * @enum {unknown}
                     */
                    existing_files?: "load" | "skip";
                    /**
                     * @description A path relative to your prefix in the shared bucket. You can also include the prefix, or send `s3://<bucket>/<prefix>…`. If no file has exactly this key, every file whose key begins with it is loaded. `..` segments are not allowed.
                     * @example audience.csv
                     */
                    file_path: string;
                    /**
                     * @description Name of a marker file, such as `_SUCCESS`. Files of a folder are loaded when the folder has this file and it is not older than they are. The name must begin with `_` or `.`; such files are never loaded.
                     * @example _SUCCESS
                     */
                    marker?: string;
                    /**
                     * @description How often the files are listed, in seconds. A listing costs one request for every 1,000 objects under the path.
                     * @default 300
                     * @example 300
                     */
                    poll_seconds?: number;
                    /**
                     * @description A file is loaded when it has not changed for this many seconds. An object appears in a bucket as a whole, so 0 is right unless files are replaced soon after their upload.
                     * @default 0
                     * @example 60
                     */
                    settle_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    getAudienceWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    removeAudienceWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    changeAudienceWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Another marker file. Null: no marker. */
                    marker?: string | null;
                    /**
                     * @description How often the files are listed, in seconds. A listing costs one request for every 1,000 objects under the path.
                     * @example 300
                     */
                    poll_seconds?: number;
                    /**
                     * @description True: failed and cancelled files are loaded again, even if they have not changed.
                     * @example true
                     */
                    retry_failed?: boolean;
                    /**
                     * @description A file is loaded when it has not changed for this many seconds. An object appears in a bucket as a whole, so 0 is right unless files are replaced soon after their upload.
                     * @example 60
                     */
                    settle_seconds?: number;
                    /**
                     * @description `paused` stops the watch; `active` resumes it, and lists the files at once.
                     * @enum {unknown}
                     */
                    state?: "active" | "paused";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The audience to which files are appended. Null: files are imported.
                         * @example null
                         */
                        audience_id: number | null;
                        /**
                         * @description As in an import. Null: detected from the content.
                         * @example null
                         */
                        compressed: boolean | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @example load
                         * @enum {unknown}
                         */
                        existing_files: "load" | "skip";
                        /**
                         * @description Every file whose key begins with it is loaded.
                         * @example daily/
                         */
                        file_path: string;
                        /**
                         * @description Files failed since the watch was created.
                         * @example 0
                         */
                        files_failed: number;
                        /**
                         * @description Files loaded since the watch was created.
                         * @example 365
                         */
                        files_loaded: number;
                        /**
                         * @description Files whose jobs have not ended.
                         * @example 1
                         */
                        files_queued: number;
                        /**
                         * @description Files found but not queued yet.
                         * @example 0
                         */
                        files_waiting: number;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example 1
                         */
                        key_type: (0 | 1) | null;
                        /** @description When the last complete listing began. */
                        listed_at: string | null;
                        /** @example null */
                        marker: string | null;
                        /**
                         * @description As in an import. Null for audiences.
                         * @example merge
                         */
                        mode: ("merge" | "replace") | null;
                        /**
                         * @description 0 = the shared bucket, 1 = your own bucket.
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
                        /**
                         * @description Why the service paused the watch. Null if it did not.
                         * @example null
                         */
                        paused_reason: string | null;
                        /**
                         * @description Why the last listing failed. Null if it did not.
                         * @example null
                         */
                        poll_error: string | null;
                        /** @example 300 */
                        poll_seconds: number;
                        /** @example 0 */
                        settle_seconds: number;
                        /**
                         * @example active
                         * @enum {unknown}
                         */
                        state: "active" | "paused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Assigned by the service.
                         * @example 1
                         */
                        watch_id: number;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudienceWatchFiles: {
        parameters: {
            query?: {
                /**
                 * @description Return only files that follow the one with this file_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of files. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /** @description Only files in this state. Without it, all but hidden files. */
                state?: "waiting" | "queued" | "loaded" | "failed" | "cancelled" | "replaced" | "skipped" | "hidden";
            };
            header?: never;
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example d41d8cd98f00b204e9800998ecf8427e */
                        etag: string;
                        /**
                         * @description Grows in the order in which the files were found.
                         * @example 1
                         */
                        file_id: number;
                        /**
                         * @description The job that loads the file, for imports also its import_log_id. Null if there is none.
                         * @example 1
                         */
                        job_id: number | null;
                        /** @example partner-1/daily/2026-01-31.csv */
                        key: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        modified_at: string;
                        /** @example 1024 */
                        size: number;
                        /**
                         * @description `waiting`: not queued yet. `queued`: its job has not ended. `loaded`, `failed`: how the job ended. `cancelled`: the audience was cleared meanwhile. `replaced`: the file was replaced or deleted before this version was read. `skipped`: it was there before the watch. `hidden`: its name begins with `_` or `.`.
                         * @example loaded
                         * @enum {unknown}
                         */
                        state: "waiting" | "queued" | "loaded" | "failed" | "cancelled" | "replaced" | "skipped" | "hidden";
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                    }[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
    pollAudienceWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the audience.
                 * @example 1
                 */
                audience_id: string;
                /**
                 * @description The id of the watch.
                 * @example 1
                 */
                watch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files are listed shortly. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /**
                         * @description The kind of problem. The list of codes is closed.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "limit_reached" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full" | "quota_exceeded";
                        /** @description What is wrong with this request, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input only: up to 50 issues. `pointer` is a JSON pointer into the body, the name of a header or query parameter, or the line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Identifies the request in the logs of the service. The same as in the X-Request-Id header. */
                        request_id: string;
                        /** @description The HTTP status of the response. */
                        status: number;
                        /** @description A short name for the kind of problem. */
                        title: string;
                        /** @description A link to the description of the problem. */
                        type: string;
                    };
                };
            };
        };
    };
}
