// Generated from our own OpenAPI document by test/integration/client-types.test.ts.

export interface paths {
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit
         * @description The last 1000 calls of the operator interface, newest first, this one included.
         */
        get: operations["listAdminCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List customers */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Create a customer
         * @description On whose behalf partners load audiences, with a user token.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/customers/{customer_id}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Who can sign in to the console and see the customer's audiences. Of the password only a hash is stored (argon2id).
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/customers/{customer_id}/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a user
         * @description Their sessions end, and so does what apps were allowed.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Sets a new password, or whether the user may sign in. Their sessions end. While the user is disabled, the tokens of apps that act for them are refused; a new password leaves those as they are.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/admin/v1/oauth-grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List grants of OAuth apps
         * @description Which apps act for which users, newest first.
         */
        get: operations["listOauthGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/oauth-grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a grant of an OAuth app
         * @description Its tokens are refused from the next request on.
         */
        delete: operations["revokeOauthGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/oauth-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the authorization server's keys
         * @description Newest first, without the keys themselves. The first is made when it is needed.
         */
        get: operations["listOauthKeys"];
        put?: never;
        /**
         * Rotate the authorization server's keys
         * @description Makes a new key, with which every process signs within a minute. The one before verifies what it has signed, for as long as that is valid: an hour.
         */
        post: operations["rotateOauthKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List partners */
        get: operations["listPartners"];
        put?: never;
        /** Create a partner */
        post: operations["createPartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Without the keys themselves.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is shown this once; only a hash of it is stored.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/api-keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description It is refused from the next request on, and so are the sessions of the console that were opened with it. An upload link that it was given is good until it expires, for 15 minutes at most.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/oauth-apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List OAuth apps
         * @description Without the secrets.
         */
        get: operations["listOauthApps"];
        put?: never;
        /**
         * Create an OAuth app
         * @description With which the partner acts for users who allow it. The secret is shown this once; only a hash of it is stored.
         */
        post: operations["createOauthApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/oauth-apps/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an OAuth app
         * @description What users have allowed it, and its tokens, go with it.
         */
        delete: operations["removeOauthApp"];
        options?: never;
        head?: never;
        /**
         * Change an OAuth app
         * @description While it is disabled it can do nothing, and its tokens are refused from the next request on.
         */
        patch: operations["changeOauthApp"];
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/oauth-apps/{client_id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an OAuth app's secret
         * @description The one before is refused from the next request on; tokens stay valid. The new one is shown this once.
         */
        post: operations["rotateOauthAppSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/objects/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put an object under a partner's prefix
         * @description The body is the object, whatever its content type. It appears whole, or not at all, in the place of the one that was there.
         */
        put: operations["putObject"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/storage-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List storage credentials
         * @description Without the secrets.
         */
        get: operations["listStorageCredentials"];
        put?: never;
        /**
         * Create storage credentials
         * @description For uploading under the partner's prefix with any S3 client, and nowhere else. The secret is shown this once. Where the shared bucket is another store's, send the key pair that was made there.
         */
        post: operations["createStorageCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/storage-credentials/{access_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke storage credentials
         * @description They are refused from the next request on.
         */
        delete: operations["revokeStorageCredentials"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/user-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List user tokens
         * @description Without the tokens themselves.
         */
        get: operations["listUserTokens"];
        put?: never;
        /**
         * Create a user token
         * @description Lets the partner act for the customer: sent as `x-user-token` with the partner's own API key. The token is shown this once; only a hash of it is stored.
         */
        post: operations["createUserToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/user-tokens/{user_token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a user token
         * @description It is refused from the next request on.
         */
        delete: operations["revokeUserToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Who is signed in to the console, newest first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description It is refused from the next request on.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status
         * @description What waits, for how long, and what is stored.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the service ready */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the apps that act for you
         * @description For customers' users. The one that was allowed last comes first.
         */
        get: operations["listConnectedApps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/apps/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop an app from acting for you
         * @description Wherever it runs. All tokens that it has for you are refused from the next request on.
         */
        delete: operations["disconnectApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/audiences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audiences, newest activity first
         * @description A partner’s; with a user token, or for a customer’s user who is signed in, the customer’s. With `Accept: text/event-stream` they are told at once as an event `audiences` with the data `{"audiences": […]}`, and again within about two seconds of a change. Comment lines keep the stream alive meanwhile; it ends when whoever follows may no longer.
         */
        get: operations["listConsoleAudiences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/authorizations/{uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an app asks for
         * @description For customers' users. An app of a partner has sent the browser here, and waits to be let act for the user. Only the browser that it sent finds it.
         */
        get: operations["getAuthorization"];
        put?: never;
        /** Let an app in, or not */
        post: operations["decideAuthorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last 100 jobs, newest first
         * @description Imports, dry runs, deletions and loads of audiences, each with its progress. With `Accept: text/event-stream` they are told at once as an event `jobs` with the data `{"jobs": […]}`, and again within about a second of a change. Comment lines keep the stream alive meanwhile; it ends when whoever follows may no longer.
         */
        get: operations["listConsoleJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your password
         * @description For customers' users. Your other sessions end.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/segments/{segment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the audience of a segment
         * @description Where a link to a composition report leads.
         */
        get: operations["getConsoleSegment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is signed in
         * @description Nobody is no problem here: whoever opens the console has to ask.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description A customer's user signs in with e-mail and password, a partner with an API key, the operator with the admin token. The session is a cookie, for 12 hours; the token in `csrf_token` must go as `x-csrf-token` with every request by that cookie that changes something. What fails too often must wait: 5 failures for one e-mail or key from one network, 30 from one network, 100 for one e-mail, each within 15 minutes.
         */
        post: operations["signIn"];
        /** Sign out */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Newest first: of the same user, of the same API key, or, of the operator's, all.
         */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        /** Sign out everywhere else */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: operations["endOwnSession"];
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
         * @description Answers a URL to which the file is then sent: one `PUT` whose body is its bytes, 5 GiB at most, with any `Content-Type`. The URL takes this one file and nothing else, and needs no credentials: it is one, until it expires. An object that is there already is replaced once the new one is complete.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audiences (v1)
         * @description The same as `listAudiences`, which is under /v2/firstparty/audience.
         */
        get: operations["listAudiencesV1"];
        put?: never;
        /**
         * Create an audience (v1)
         * @description The same as `createAudience`, which is under /v2/firstparty/audience.
         */
        post: operations["createAudienceV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get audience details (v1)
         * @description The same as `getAudience`, which is under /v2/firstparty/audience.
         */
        get: operations["getAudienceV1"];
        /**
         * Clear an audience (v1)
         * @description The same as `clearAudience`, which is under /v2/firstparty/audience.
         */
        put: operations["clearAudienceV1"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Append files (v1)
         * @description The same as `appendFiles`, which is under /v2/firstparty/audience.
         */
        patch: operations["appendFilesV1"];
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/composition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the composition report (v1)
         * @description The same as `getComposition`, which is under /v2/firstparty/audience.
         */
        get: operations["getCompositionV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List errors (v1)
         * @description The same as `listAudienceErrors`, which is under /v2/firstparty/audience.
         */
        get: operations["listAudienceErrorsV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get progress (v1)
         * @description The same as `getAudienceProgress`, which is under /v2/firstparty/audience.
         */
        get: operations["getAudienceProgressV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/rejects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download rejected rows (v1)
         * @description The same as `downloadAudienceRejects`, which is under /v2/firstparty/audience.
         */
        get: operations["downloadAudienceRejectsV1"];
        put?: never;
        post?: never;
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
         * @description All of yours, by attribute_id.
         */
        get: operations["listAttributes"];
        put?: never;
        /**
         * Create attributes
         * @description One, or a whole taxonomy as CSV, which is created together or not at all. Files can then give them to devices, by their ids or by your own keys.
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
         * @description With its data, in its turn among your jobs; until then it is there. It cannot be undone.
         */
        delete: operations["deleteAttribute"];
        options?: never;
        head?: never;
        /**
         * Change an attribute
         * @description At least one field; what is left out stays as it is. Jobs look keys up when their turn comes, so a new key holds for those that wait already.
         */
        patch: operations["changeAttribute"];
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
         * @description Your last 100 jobs, newest first.
         */
        get: operations["listImportLogs"];
        put?: never;
        /**
         * Queue an import
         * @description Loads a file, or every file below a path, into your attributes: all of it together, or nothing. Your jobs run one at a time in the order submitted. A file has two columns, `id,attribute_ids`: an advertising identifier, and the keys of its attributes separated by `|`; or five, `id,id_type,country,operation,attribute_ids`, where `id_type` is 1 (IDFA) or 3 (AAID), `country` has two letters, and `operation` is 0 to add and 1 to remove. All removals of an import apply before its additions; one that names no key removes the device from all your attributes. Files are UTF-8 text with comma or tab, plain or compressed with gzip or zstd.
         */
        post: operations["queueImport"];
        /**
         * Delete attribute data
         * @description Takes every device out of the attributes named, in its turn among your jobs. It cannot be undone. The attributes themselves stay, empty. Should one be gone when the turn comes, it is passed over.
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
        /** Get import log */
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
         * List files of an import
         * @description In key order. None until the turn of the import has come, for only then the path is looked up.
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
         * @description How far a job has come, how fast it goes, and what it waits for. With `Accept: text/event-stream` it is told at once and then about every second as an event `progress` with the same members, until the work has ended; the last event has queue_position null, and the stream ends with it. Comment lines keep a stream alive while there is nothing to tell. At most 50 streams at once.
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
         * @description The rows that were dropped, by file and line, at most 10,000 of each file. They are kept for 30 days after the job has ended. In the CSV a cell that a spreadsheet would run as a formula gets an apostrophe before it, and bytes that are not UTF-8 are replaced; with `Accept: application/x-ndjson` you get the exact bytes.
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
    "/v2/firstparty/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audiences
         * @description By audience_id, ascending. With a user token those of its customer, without one all of yours. `limit` and `after` page through them; unknown parameters are refused.
         */
        get: operations["listAudiences"];
        put?: never;
        /**
         * Create an audience
         * @description Makes an audience and queues the load of a file, or of every file below a path, in its turn among your jobs. A file has exactly two columns, an advertising identifier and an event label, which may be empty; it is UTF-8 text with comma or tab, plain or compressed with gzip or zstd. Each file loads as a whole or not at all. With a user token the audience belongs to its customer.
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
         * @description The audience with its files; all counts and statuses are of one moment.
         */
        get: operations["getAudience"];
        /**
         * Clear an audience
         * @description Acts at once: the counts are 0, the files gone, and what was pending or loading is cancelled. Files appended afterwards load, also those that were loaded before. Takes no body, or `{}`, of any content type or none.
         */
        put: operations["clearAudience"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Append files
         * @description Queues the load of more files, in its turn among your jobs. What they hold is merged with what is there, each device counted once. A file that stands loaded, by its path and ETag, is passed over; one that failed, or whose content has changed since, is loaded again.
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
         * @description Which attributes of the marketplace the matched devices of an audience carry, compared with the universe: every device that carries any. Counts are exact, and nothing is rounded. It is computed with each load of the audience, before the load ends, and again in the background when attributes change; a clear takes it away, until that of the empty audience is computed. While there is none the answer is 404 with the code `not_computed_yet`. Figures about few devices are null, with the reason.
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
         * @description Why files failed, and which rows or labels were dropped of those that loaded: one entry for each kind of problem and file, in the order of `file`. If the last load failed as a whole, its reason comes after them, with the file null. Labels dropped: `label_too_long` (over 256 bytes), `too_many_labels` (past 1,000 of the audience); their rows load.
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
    "/v2/firstparty/audience/{audience_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get progress
         * @description How far the load of the audience has come that runs or is next to run; if none is left, the latest. With `Accept: text/event-stream` it is told at once and then about every second as an event `progress` with the same members, until the work has ended; the last event has queue_position null, and the stream ends with it. Comment lines keep a stream alive while there is nothing to tell. At most 50 streams at once.
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
         * @description The rows that were dropped when each file was last loaded, by file and line, at most 10,000 of each file. They are kept for 30 days after the load has ended. In the CSV a cell that a spreadsheet would run as a formula gets an apostrophe before it, and bytes that are not UTF-8 are replaced; with `Accept: application/x-ndjson` you get the exact bytes.
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
    listAdminCalls: {
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
                        /** @example POST /admin/v1/partners */
                        action: string;
                        /**
                         * @description The call.
                         * @example 1
                         */
                        admin_call_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        called_at: string;
                        remote_address: string;
                        request_id: string;
                        /** @description Null while it is under way, or if the process died in it; 499 if the client did not wait for its answer. */
                        status: number | null;
                        /** @description The path that was called. */
                        target: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listCustomers: {
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description The customer.
                         * @example 1
                         */
                        customer_id: number;
                        /** @example Harbor Coffee */
                        name: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createCustomer: {
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
                     * @description Who the customer is; need not be unique. No control characters.
                     * @example Harbor Coffee
                     */
                    name: string;
                };
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
                        /**
                         * @description The customer.
                         * @example 1
                         */
                        customer_id: number;
                        /** @example Harbor Coffee */
                        name: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which customer.
                 * @example 1
                 */
                customer_id: string;
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example ada@harbor.example */
                        email: string;
                        /** @example false */
                        is_disabled: boolean;
                        /** @description Null if never. */
                        last_sign_in_at: string | null;
                        /**
                         * @description The user.
                         * @example 1
                         */
                        user_id: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which customer.
                 * @example 1
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example ada@harbor.example */
                    email: string;
                    /** @example a long sentence is a good password */
                    password: string;
                };
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
                        /** @example ada@harbor.example */
                        email: string;
                        /**
                         * @description The user.
                         * @example 1
                         */
                        user_id: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    removeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which customer.
                 * @example 1
                 */
                customer_id: string;
                /**
                 * @description Which of its users.
                 * @example 1
                 */
                user_id: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which customer.
                 * @example 1
                 */
                customer_id: string;
                /**
                 * @description Which of its users.
                 * @example 1
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example true */
                    disabled?: boolean;
                    /** @example a long sentence is a good password */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Changed. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listOauthGrants: {
        parameters: {
            query?: {
                /**
                 * @description Only those with a smaller grant_id: the last one of the page before.
                 * @example 1
                 */
                before?: number;
                /**
                 * @description Only for this customer's users.
                 * @example 1
                 */
                customer_id?: number;
                /**
                 * @description How many at most; 100 unless given.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Only of this partner's apps.
                 * @example 1
                 */
                partner_id?: number;
                /**
                 * @description Only for this user.
                 * @example 1
                 */
                user_id?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example Audience Loader */
                        app_name: string;
                        /**
                         * @description The app.
                         * @example app_…
                         */
                        client_id: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description On whose behalf.
                         * @example 1
                         */
                        customer_id: number;
                        /** @example Harbor Coffee */
                        customer_name: string;
                        /** @example ada@harbor.example */
                        email: string;
                        /**
                         * Format: date-time
                         * @description Unless the app asks for new tokens before.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description For revoking it.
                         * @example 1
                         */
                        grant_id: number;
                        /** @description To the minute; null if never. */
                        last_used_at: string | null;
                        /**
                         * @description Whose app it is.
                         * @example 1
                         */
                        partner_id: number;
                        /**
                         * @description Whose app it is.
                         * @example acme
                         */
                        partner_name: string;
                        /**
                         * @description For whom it acts.
                         * @example 1
                         */
                        user_id: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    revokeOauthGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which grant.
                 * @example 1
                 */
                grant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listOauthKeys: {
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description The id of the key.
                         * @example mC0xq7sXkS1nV3Ew
                         */
                        kid: string;
                        /** @description Null: it has not been replaced. */
                        retired_at: string | null;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    rotateOauthKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the key.
                         * @example mC0xq7sXkS1nV3Ew
                         */
                        kid: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listPartners: {
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
                         * @description The shared bucket.
                         * @example tributary
                         */
                        bucket: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example acme */
                        name: string;
                        /**
                         * @description The partner.
                         * @example 1
                         */
                        partner_id: number;
                        /**
                         * @description What the keys of the partner's objects begin with. Ends in `/`.
                         * @example partner-1/
                         */
                        prefix: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createPartner: {
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
                     * @description Who the partner is; need not be unique. No control characters.
                     * @example acme
                     */
                    name: string;
                };
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
                        /**
                         * @description The shared bucket.
                         * @example tributary
                         */
                        bucket: string;
                        /** @example acme */
                        name: string;
                        /**
                         * @description The partner.
                         * @example 1
                         */
                        partner_id: number;
                        /**
                         * @description What the keys of the partner's objects begin with. Ends in `/`.
                         * @example partner-1/
                         */
                        prefix: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
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
                         * @description For revoking it.
                         * @example 1
                         */
                        api_key_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        label: string;
                        /** @description To the minute; null if never. */
                        last_used_at: string | null;
                        revoked_at: string | null;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description To tell the keys of a partner apart. No control characters.
                     * @example nightly loader
                     */
                    label?: string;
                };
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
                        /** @example trib_key_… */
                        api_key: string;
                        /**
                         * @description For revoking it.
                         * @example 1
                         */
                        api_key_id: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of its keys.
                 * @example 1
                 */
                api_key_id: string;
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listOauthApps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
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
                         * @description The app, as OAuth calls it.
                         * @example app_…
                         */
                        client_id: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example false */
                        is_disabled: boolean;
                        /**
                         * @description Confidential: it runs on a server and can keep a secret. Public: it runs in a browser or on a device, and has none.
                         * @example confidential
                         * @enum {unknown}
                         */
                        kind: "confidential" | "public";
                        /** @example Audience Loader */
                        name: string;
                        /**
                         * @example [
                         *       "https://app.acme.example/callback"
                         *     ]
                         */
                        redirect_uris: string[];
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createOauthApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Confidential: it runs on a server and can keep a secret. Public: it runs in a browser or on a device, and has none.
                     * @example confidential
                     * @enum {unknown}
                     */
                    kind: "confidential" | "public";
                    /**
                     * @description What users are shown. No control characters.
                     * @example Audience Loader
                     */
                    name: string;
                    /**
                     * @description Where the browser may be sent back to, each compared letter by letter: https, or http on localhost, 127.0.0.1 or [::1]; no fragment, no wildcard.
                     * @example [
                     *       "https://app.acme.example/callback"
                     *     ]
                     */
                    redirect_uris: string[];
                };
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
                        /**
                         * @description The app, as OAuth calls it.
                         * @example app_…
                         */
                        client_id: string;
                        /**
                         * @description Null for a public app.
                         * @example trib_client_…
                         */
                        client_secret: string | null;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    removeOauthApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of its apps.
                 * @example app_…
                 */
                client_id: string;
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    changeOauthApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of its apps.
                 * @example app_…
                 */
                client_id: string;
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example true */
                    disabled?: boolean;
                    /**
                     * @description What users are shown. No control characters.
                     * @example Audience Loader
                     */
                    name?: string;
                    /**
                     * @description Where the browser may be sent back to, each compared letter by letter: https, or http on localhost, 127.0.0.1 or [::1]; no fragment, no wildcard.
                     * @example [
                     *       "https://app.acme.example/callback"
                     *     ]
                     */
                    redirect_uris?: string[];
                };
            };
        };
        responses: {
            /** @description Changed. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    rotateOauthAppSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of its apps.
                 * @example app_…
                 */
                client_id: string;
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example trib_client_… */
                        client_secret: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    putObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The rest of the key, below the prefix. Slashes are part of it.
                 * @example devices.csv
                 */
                key: string;
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The MD5 of the object. */
                        etag: string;
                        /** @example partner-1/devices.csv */
                        key: string;
                        /** @description In bytes. */
                        size: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listStorageCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
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
                        /** @example TRIB… */
                        accessKeyId: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description To the minute; null if never. */
                        last_used_at: string | null;
                        revoked_at: string | null;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createStorageCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description accessKeyId of another store */
                    accessKeyId?: string;
                    /** @description secretAccessKey of another store */
                    secretAccessKey?: string;
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
                        /** @example TRIB… */
                        accessKeyId: string;
                        /** @example tributary */
                        bucket: string;
                        /** @example http://127.0.0.1:9000 */
                        endpoint: string;
                        expires_at: null;
                        /** @example partner-1/ */
                        prefix: string;
                        /** @example us-east-1 */
                        region: string;
                        secretAccessKey: string;
                        /** @description Null: the credentials are permanent. */
                        sessionToken: null;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    revokeStorageCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Its accessKeyId.
                 * @example TRIB…
                 */
                access_key_id: string;
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listUserTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description On whose behalf.
                         * @example 1
                         */
                        customer_id: number;
                        /** @description Null: it does not expire. */
                        expires_at: string | null;
                        /** @description To the minute; null if never. */
                        last_used_at: string | null;
                        revoked_at: string | null;
                        /**
                         * @description For revoking it.
                         * @example 1
                         */
                        user_token_id: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description On whose behalf.
                     * @example 1
                     */
                    customer_id: number;
                    /**
                     * @description For how many seconds it is valid, ten years of 365 days at most. Omitted: until it is revoked.
                     * @example 86400
                     */
                    expires_in?: number;
                };
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
                        /** @description Null: it does not expire. */
                        expires_at: string | null;
                        /** @example trib_user_… */
                        user_token: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    revokeUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which partner.
                 * @example 1
                 */
                partner_id: string;
                /**
                 * @description Which of its user tokens.
                 * @example 1
                 */
                user_token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listSessions: {
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description Whether it is the one that asks.
                         * @example true
                         */
                        is_current: boolean;
                        /**
                         * @example customer
                         * @enum {unknown}
                         */
                        kind: "customer" | "partner" | "operator";
                        /**
                         * Format: date-time
                         * @description To the minute.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        last_used_at: string;
                        /**
                         * @description Who is signed in: a user's e-mail, a partner's name, or `Operator`.
                         * @example ada@harbor.example
                         */
                        name: string;
                        /** @example 192.0.2.7 */
                        remote_address: string;
                        /**
                         * @description The session.
                         * @example 1
                         */
                        session_id: number;
                        /** @example Mozilla/5.0 … */
                        user_agent: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which session.
                 * @example 1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getStatus: {
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
                        /** @description The lanes that have jobs waiting or running. */
                        queue: {
                            name: string;
                            oldest_age_seconds: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC, milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            oldest_submitted_at: string;
                            /**
                             * @description Whose lane.
                             * @example 1
                             */
                            partner_id: number;
                            pending: number;
                            running: number;
                        }[];
                        storage: {
                            object_bytes: number;
                            /** @description Objects in the shared bucket. */
                            objects: number;
                            run_bytes: number;
                            /** @description Runs in the warehouse. */
                            runs: number;
                        };
                        universe: {
                            /** @description Runs of attributes, come or gone, that it does not reflect yet. */
                            backlog: number;
                            /** @description Audiences whose matched devices or composition are of an earlier version, and will be counted again. */
                            outdated_audiences: number;
                            /** @description Counts the changes of the universe, and of attributes within it. */
                            version: number;
                        };
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    healthz: {
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
                        /** @enum {string} */
                        status: "ok";
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    readyz: {
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
                        /** @description Each of database, storage and warehouse: `ok` or `does not answer`. The log has the reason. */
                        checks: {
                            [key: string]: string;
                        };
                        /** @enum {unknown} */
                        status: "ready" | "not_ready";
                    };
                };
            };
            /** @description Something does not answer. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Each of database, storage and warehouse: `ok` or `does not answer`. The log has the reason. */
                        checks: {
                            [key: string]: string;
                        };
                        /** @enum {unknown} */
                        status: "ready" | "not_ready";
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listConnectedApps: {
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
                         * @description The last time.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        allowed_at: string;
                        /** @example Audience Loader */
                        app_name: string;
                        /**
                         * @description The app.
                         * @example app_…
                         */
                        client_id: string;
                        /**
                         * Format: date-time
                         * @description Unless the app asks for new tokens before.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description How often it was allowed and still acts by that: once for each place it runs in.
                         * @example 1
                         */
                        grants: number;
                        /** @description To the minute; null if never. */
                        last_used_at: string | null;
                        /**
                         * @description Whose app it is.
                         * @example acme
                         */
                        partner_name: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    disconnectApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which app.
                 * @example app_…
                 */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stopped. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listConsoleAudiences: {
        parameters: {
            query?: {
                /** @description How many at most; 100 if left out. */
                limit?: number;
                /** @description Only those with this in their name, in whatever letter case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The audiences. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by us.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description On whose behalf; null if it is the partner’s alone.
                         * @example Corner shop
                         */
                        customer_name: string | null;
                        /**
                         * @description Leads to its composition report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description Those of the unique devices that carry an attribute of the marketplace.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description Who loads it.
                         * @example Acme
                         */
                        partner_name: string;
                        /**
                         * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices now in the audience.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, duplicates included.
                         * @example 1200
                         */
                        uploaded_devices: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which authorization: the end of the address that the app sent the browser to.
                 * @example yGm2SmB4uWZlTq0pV4bPm
                 */
                uid: string;
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
                        /** @example Audience Loader */
                        app_name: string;
                        /**
                         * @description On whose behalf the app would act.
                         * @example Harbor Coffee
                         */
                        customer_name: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /** @example acme */
                        partner_name: string;
                        /**
                         * @description Where the browser goes afterwards.
                         * @example app.acme.example
                         */
                        redirect_host: string;
                        /**
                         * @description `audiences`: load, see and clear the audiences of the customer.
                         * @example [
                         *       "audiences"
                         *     ]
                         */
                        scopes: "audiences"[];
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    decideAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which authorization: the end of the address that the app sent the browser to.
                 * @example yGm2SmB4uWZlTq0pV4bPm
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example true */
                    allow: boolean;
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
                         * @description Where the browser goes now, and from there back to the app.
                         * @example http://localhost:8080/oauth/authorize/yGm2SmB4uWZlTq0pV4bPm
                         */
                        redirect_to: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listConsoleJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null unless the job loads one. */
                        audience: {
                            /**
                             * @description The audience that is loaded.
                             * @example 1
                             */
                            audience_id: number;
                            /**
                             * @description Leads to its composition report in the console.
                             * @example 1
                             */
                            default_warehouse_segment_id: number;
                            /** @example Summer sale */
                            name: string;
                        } | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description The import_log_id, unless the job loads an audience.
                         * @example 1
                         */
                        job_id: number;
                        /**
                         * @description How many keys a deletion has, else null.
                         * @example null
                         */
                        key_count: number | null;
                        /**
                         * @description The first of the keys of a deletion, else null; the import log has all.
                         * @example null
                         */
                        keys: string[] | null;
                        /** @enum {unknown} */
                        kind: "import" | "dry_run" | "deletion" | "audience";
                        /**
                         * @description Where its files are: as it was submitted, or for an audience with your prefix. Null for a deletion.
                         * @example devices.csv
                         */
                        path: string | null;
                        /**
                         * @description Why the job, or a file of it, failed; else the first problem of its rows.
                         * @example null
                         */
                        problem: {
                            code: string;
                            message: string;
                        } | null;
                        /**
                         * @description How many there are, one for each kind of problem and file.
                         * @example 0
                         */
                        problem_count: number;
                        progress: {
                            /**
                             * @description Of the files as they are stored.
                             * @example 52428800
                             */
                            bytes_read: number;
                            /**
                             * @description Of all files of the job; 0 until they have been looked up.
                             * @example 104857600
                             */
                            bytes_total: number;
                            /**
                             * @description How long reading the rest takes at the pace so far; 0 once it has ended, null if unknown.
                             * @example 2
                             */
                            eta_seconds: number | null;
                            /**
                             * @description 0 while it runs, 1 if it is the next of your jobs; null once it has ended.
                             * @example 0
                             */
                            queue_position: number | null;
                            /**
                             * @description Since the job began; null before there is anything to tell.
                             * @example 700000
                             */
                            rows_per_second: number | null;
                            /** @example 1400000 */
                            rows_read: number;
                            /**
                             * @description The job directly ahead of it, if there is one: its import_log_id, unless it loads an audience.
                             * @example null
                             */
                            waiting_for: number | null;
                        };
                        /**
                         * @description Cancelled: the audience was cleared before its load had ended.
                         * @enum {unknown}
                         */
                        state: "pending" | "running" | "done" | "failed" | "cancelled";
                        /**
                         * @description As in the import log, 0 until the job ends. For an audience the valid rows of its files that are loaded, as long as no later load or clear concerns them.
                         * @example 1200
                         */
                        total_rows: number;
                        /**
                         * @description As in the import log; null for an audience, which has its own.
                         * @example 1000
                         */
                        unique_devices: number | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the one that you signed in with */
                    current_password: string;
                    /** @example a long sentence is a good password */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Changed. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getConsoleSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The default_warehouse_segment_id of the audience.
                 * @example 1
                 */
                segment_id: string;
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
                         * @description Assigned by us.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description On whose behalf; null if it is the partner’s alone.
                         * @example Corner shop
                         */
                        customer_name: string | null;
                        /**
                         * @description Leads to its composition report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description Those of the unique devices that carry an attribute of the marketplace.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description Who loads it.
                         * @example Acme
                         */
                        partner_name: string;
                        /**
                         * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices now in the audience.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, duplicates included.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getSession: {
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
                         * @description Where a partner uploads to.
                         * @example null
                         */
                        bucket: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Sent as `x-csrf-token` with every request by cookie that changes something. */
                        csrf_token: string;
                        /** @example Harbor Coffee */
                        customer_name: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @example customer
                         * @enum {unknown}
                         */
                        kind: "customer" | "partner" | "operator";
                        /**
                         * @description Who is signed in: a user's e-mail, a partner's name, or `Operator`.
                         * @example ada@harbor.example
                         */
                        name: string;
                        partner_id: number | null;
                        /**
                         * @description Below which.
                         * @example null
                         */
                        prefix: string | null;
                        /**
                         * @description The session.
                         * @example 1
                         */
                        session_id: number;
                    };
                };
            };
            /** @description Nobody is signed in. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Either `email` and `password`, or `api_key`, or `admin_token`. */
        requestBody: {
            content: {
                "application/json": {
                    /** @example … */
                    admin_token?: string;
                    /** @example trib_key_… */
                    api_key?: string;
                    /** @example ada@harbor.example */
                    email?: string;
                    /** @example a long sentence is a good password */
                    password?: string;
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
                         * @description Where a partner uploads to.
                         * @example null
                         */
                        bucket: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Sent as `x-csrf-token` with every request by cookie that changes something. */
                        csrf_token: string;
                        /** @example Harbor Coffee */
                        customer_name: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @example customer
                         * @enum {unknown}
                         */
                        kind: "customer" | "partner" | "operator";
                        /**
                         * @description Who is signed in: a user's e-mail, a partner's name, or `Operator`.
                         * @example ada@harbor.example
                         */
                        name: string;
                        partner_id: number | null;
                        /**
                         * @description Below which.
                         * @example null
                         */
                        prefix: string | null;
                        /**
                         * @description The session.
                         * @example 1
                         */
                        session_id: number;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listOwnSessions: {
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description Whether it is the one that asks.
                         * @example true
                         */
                        is_current: boolean;
                        /**
                         * @example customer
                         * @enum {unknown}
                         */
                        kind: "customer" | "partner" | "operator";
                        /**
                         * Format: date-time
                         * @description To the minute.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        last_used_at: string;
                        /**
                         * @description Who is signed in: a user's e-mail, a partner's name, or `Operator`.
                         * @example ada@harbor.example
                         */
                        name: string;
                        /** @example 192.0.2.7 */
                        remote_address: string;
                        /**
                         * @description The session.
                         * @example 1
                         */
                        session_id: number;
                        /** @example Mozilla/5.0 … */
                        user_agent: string;
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Only this session is left. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    endOwnSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which session.
                 * @example 1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                     * @description Where the file goes, relative to your prefix in the shared bucket. No `.` or `..` segments, and no `/` at the end.
                     * @example 2026/devices.csv
                     */
                    path: string;
                };
            };
        };
        responses: {
            /** @description Ready to be uploaded to. An upload must have begun by `expires_at`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description What an import of the file takes: the path as it was sent.
                         * @example 2026/devices.csv
                         */
                        file_path: string;
                        /**
                         * @description The key that it gets. Audiences take it as their file_path.
                         * @example partner-1/2026/devices.csv
                         */
                        s3_path: string;
                        /** @description Where to `PUT` the bytes. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudiencesV1: {
        parameters: {
            query?: {
                /** @description Only those with a larger audience_id. */
                after?: number;
                /** @description How many at most; all of them if left out. */
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
                    /** @description The path of the next page, with `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by us.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Leads to its composition report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description Those of the unique devices that carry an attribute of the marketplace.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices now in the audience.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, duplicates included.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    createAudienceV1: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Relative to your prefix in the shared bucket; the same place may be named with the prefix, or as `s3://<bucket>/<prefix>…`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.
                     * @example audience.csv
                     */
                    file_path: string;
                    /**
                     * @description What you call it; need not be unique. No control characters.
                     * @example Summer sale
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created, and its load queued. */
            201: {
                headers: {
                    /** @description The path of the audience. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Of the new audience.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * @description Leads to its composition report in the console.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getAudienceV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by us.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Leads to its composition report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /** @description One entry for each file since the last clear, in the order of their first load. A file enters when the turn of its load has come. */
                        file: {
                            /**
                             * @description Valid rows of its last load that succeeded; 0 if none did.
                             * @example 1200
                             */
                            rows_uploaded: number;
                            /**
                             * @description The key, beginning with your prefix.
                             * @example partner-1/audience.csv
                             */
                            s3_path: string;
                            /**
                             * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading.
                             * @example 2
                             */
                            status: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC, milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            updated_at: string;
                        }[];
                        /**
                         * @description Those of the unique devices that carry an attribute of the marketplace.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices now in the audience.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, duplicates included.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    clearAudienceV1: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description As its creation answered.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    appendFilesV1: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description As its creation answered.
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
                     * @description Relative to your prefix in the shared bucket; the same place may be named with the prefix, or as `s3://<bucket>/<prefix>…`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getCompositionV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                        /** @description Every attribute of the marketplace, by attribute_id. */
                        attributes: {
                            /**
                             * @description Of any partner.
                             * @example 1
                             */
                            attribute_id: number;
                            /**
                             * @description Matched devices of the audience that carry it.
                             * @example 200
                             */
                            audience_devices: number | null;
                            /**
                             * @description Of the matched devices.
                             * @example 0.2
                             */
                            audience_share: number | null;
                            /**
                             * @description All devices that carry it.
                             * @example 1000
                             */
                            baseline_devices: number;
                            /**
                             * @description Of the universe; null if that is empty.
                             * @example 0.1
                             */
                            baseline_share: number | null;
                            /**
                             * @description 100 × audience_share / baseline_share.
                             * @example 200
                             */
                            index: number | null;
                            /**
                             * @description Its upper end.
                             * @example 229.41
                             */
                            index_high: number | null;
                            /**
                             * @description The lower end of the index's 95% interval: of the ratio of shares, by its logarithm (delta method), the shares taken as independent.
                             * @example 174.36
                             */
                            index_low: number | null;
                            /** @example Autos > Intenders */
                            name: string;
                            /**
                             * @description Why figures are null: `audience_too_small`, `too_few_devices` with the attribute or `too_few_others` without it, by the suppression threshold (50 unless the operator set another); `no_devices_outside` if the audience is the whole universe, of which there is no z.
                             * @example null
                             */
                            suppressed: ("audience_too_small" | "too_few_devices" | "too_few_others" | "no_devices_outside") | null;
                            /**
                             * @description How many standard errors audience_share lies above the share of it among the devices of the universe that are not in the audience (two proportions, pooled).
                             * @example 11.11
                             */
                            z: number | null;
                        }[];
                        /**
                         * @description Which audience.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        computed_at: string;
                        /**
                         * @description Leads to this report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /** @description The event labels of the files, in the order in which they came. */
                        events: {
                            /**
                             * @description Distinct devices that came with it.
                             * @example 500
                             */
                            devices: number;
                            /** @example purchase */
                            label: string;
                            /**
                             * @description Of unique_devices; null if there are none.
                             * @example 0.4
                             */
                            share: number | null;
                        }[];
                        /**
                         * @description Those of them in the universe.
                         * @example 1000
                         */
                        matched_devices: number;
                        /**
                         * @description Whether something it was computed from has changed since.
                         * @example false
                         */
                        stale: boolean;
                        /**
                         * @description Distinct devices of the audience.
                         * @example 1250
                         */
                        unique_devices: number;
                        /**
                         * @description All devices that carry an attribute of any partner.
                         * @example 10000
                         */
                        universe_devices: number;
                        /** @description Which version of the universe it is of. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudienceErrorsV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example malformed_id */
                        code: string;
                        /** @description Which cell, from 1. */
                        column: number | null;
                        /** @description How often it occurred in the file. */
                        count: number;
                        /** @description The key of the file, with your prefix; `s3://…` in a bucket of your own. */
                        file: string | null;
                        /** @description Of the first occurrence, from 1. */
                        line: number | null;
                        message: string;
                        /** @description The cell at fault, cut at 256 characters. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getAudienceProgressV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Of the files as they are stored.
                         * @example 52428800
                         */
                        bytes_read: number;
                        /**
                         * @description Of all files of the job; 0 until they have been looked up.
                         * @example 104857600
                         */
                        bytes_total: number;
                        /**
                         * @description How long reading the rest takes at the pace so far; 0 once it has ended, null if unknown.
                         * @example 2
                         */
                        eta_seconds: number | null;
                        /**
                         * @description 0 while it runs, 1 if it is the next of your jobs; null once it has ended.
                         * @example 0
                         */
                        queue_position: number | null;
                        /**
                         * @description Since the job began; null before there is anything to tell.
                         * @example 700000
                         */
                        rows_per_second: number | null;
                        /** @example 1400000 */
                        rows_read: number;
                        /**
                         * @description The job directly ahead of it, if there is one: its import_log_id, unless it loads an audience.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    downloadAudienceRejectsV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                    /** @description A name for the download. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        /** @example malformed_id */
                        code: string;
                        /**
                         * @description How original is written: as text, or in base64 if its bytes are not UTF-8.
                         * @enum {unknown}
                         */
                        encoding: "utf-8" | "base64";
                        /** @example partner-1/devices.csv */
                        file: string;
                        /**
                         * @description From 1.
                         * @example 17
                         */
                        line: number;
                        /**
                         * @description The line, cut at 1 KiB.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listAttributes: {
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
                         * @description Assigned by us; what key_type 0 refers to.
                         * @example 1
                         */
                        attribute_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        description: string;
                        /** @example Autos > Intenders */
                        name: string;
                        /** @description Your own key; what key_type 1 refers to. */
                        partner_foreign_key: string | null;
                        /** @description Distinct devices that carry it now. */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description May be empty.
                     * @example In the market for a car
                     */
                    description: string;
                    /**
                     * @description What the attribute is; `" > "` makes a hierarchy. No control characters.
                     * @example Autos > Intenders
                     */
                    name: string;
                    /**
                     * @description Your own key for it, unique among your attributes. No `|`, no control characters, no blanks at its ends.
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
                    /** @description The path of the attribute; of a taxonomy that of the list. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Of the new attribute.
                         * @example 1
                         */
                        attribute_id: number;
                    } | {
                        /** @description Of a taxonomy, in the order of its lines. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                 * @description Which attribute.
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
                         * @description Assigned by us; what key_type 0 refers to.
                         * @example 1
                         */
                        attribute_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        description: string;
                        /** @example Autos > Intenders */
                        name: string;
                        /** @description Your own key; what key_type 1 refers to. */
                        partner_foreign_key: string | null;
                        /** @description Distinct devices that carry it now. */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Which attribute.
                 * @example 1
                 */
                attribute_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Queued. */
            202: {
                headers: {
                    /** @description The path of the import log. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Follow it with Get import log.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Which attribute.
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
                     * @description May be empty.
                     * @example In the market for a car
                     */
                    description?: string;
                    /**
                     * @description What the attribute is; `" > "` makes a hierarchy. No control characters.
                     * @example Autos > Intenders
                     */
                    name?: string;
                    /**
                     * @description Unique among your attributes; null takes it away. No `|`, no control characters, no blanks at its ends.
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
                         * @description Assigned by us; what key_type 0 refers to.
                         * @example 1
                         */
                        attribute_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        description: string;
                        /** @example Autos > Intenders */
                        name: string;
                        /** @description Your own key; what key_type 1 refers to. */
                        partner_foreign_key: string | null;
                        /** @description Distinct devices that carry it now. */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listImportLogs: {
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
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Null, or one entry per kind of problem and file. Rows dropped from an import that is done are reported here too. */
                        errors: {
                            /** @example malformed_id */
                            code: string;
                            /** @description Which cell, from 1. */
                            column: number | null;
                            /** @description How often it occurred in the file. */
                            count: number;
                            /** @description The key of the file, with your prefix; `s3://…` in a bucket of your own. */
                            file: string | null;
                            /** @description Of the first occurrence, from 1. */
                            line: number | null;
                            message: string;
                            /** @description The cell at fault, cut at 256 characters. */
                            value: string | null;
                        }[] | null;
                        /**
                         * @description As it was submitted; empty for a deletion.
                         * @example devices.csv
                         */
                        file_path: string;
                        /**
                         * @description The import job.
                         * @example 1
                         */
                        import_log_id: number;
                        /** @description 0 = attribute_id, 1 = partner_foreign_key. */
                        key_type: number;
                        /**
                         * @description For a deletion the keys as they were sent, else null.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description 0 = import, 1 = deletion of attribute data, 2 = dry run.
                         * @example 0
                         */
                        log_type: number;
                        /**
                         * @description 0 = shared bucket, 1 = a bucket of your own.
                         * @example 0
                         */
                        path_type: number;
                        /**
                         * @description 0 = pending, waits behind earlier jobs; 1 = importing; 2 = done; 3 = error, nothing was applied.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Data rows read, rejected ones included; for a deletion the pairs of device and attribute that are gone. "0" until the job ends.
                         * @example 1200
                         */
                        total_rows: string;
                        /**
                         * @description Distinct devices of the accepted rows; for a deletion those that lost an attribute. "0" until the job ends.
                         * @example 1200
                         */
                        unique_devices: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether the files are gzip. Given, a file that is otherwise fails the import. Left out, the content of each file tells, gzip and zstd alike. */
                    compressed?: boolean;
                    /** @description Needed with path_type 1, and only then: what reads your bucket. Kept encrypted, and only until the import ends. */
                    credentials?: {
                        accessKeyId: string;
                        /** @description The region of your bucket, such as `us-east-1`. */
                        region: string;
                        secretAccessKey: string;
                    };
                    /**
                     * @description Reads and checks everything in its turn, and reports counts and errors in the log, but applies nothing.
                     * @default false
                     */
                    dry_run?: boolean;
                    /**
                     * @description With path_type 0 relative to your prefix in the shared bucket, with path_type 1 `s3://<bucket>/<path>`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.
                     * @example devices.csv
                     */
                    file_path: string;
                    /**
                     * @description What the keys in the file are: 0 = attribute_id, 1 = partner_foreign_key.
                     * @example 1
                     * @enum {unknown}
                     */
                    key_type: 0 | 1;
                    /**
                     * @description `merge` adds to the attributes and removes from them row by row. `replace` makes every attribute that occurs in the import hold exactly its devices, all in one moment; a row that removes then fails the import.
                     * @default merge
                     * @enum {unknown}
                     */
                    mode?: "merge" | "replace";
                    /**
                     * @description Where the file lies: 0 = the shared bucket, 1 = a bucket of your own.
                     * @default 0
                     * @enum {unknown}
                     */
                    path_type?: 0 | 1;
                };
            };
        };
        responses: {
            /** @description Queued. */
            202: {
                headers: {
                    /** @description The path of the import log. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Follow it with Get import log.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the keys are: 0 = attribute_id, 1 = partner_foreign_key.
                     * @example 1
                     * @enum {unknown}
                     */
                    key_type: 0 | 1;
                    /** @description Whose data is deleted. */
                    keys: string[];
                };
            };
        };
        responses: {
            /** @description Queued. */
            202: {
                headers: {
                    /** @description The path of the import log. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Follow it with Get import log.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getImportLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As the queued import answered.
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Null, or one entry per kind of problem and file. Rows dropped from an import that is done are reported here too. */
                        errors: {
                            /** @example malformed_id */
                            code: string;
                            /** @description Which cell, from 1. */
                            column: number | null;
                            /** @description How often it occurred in the file. */
                            count: number;
                            /** @description The key of the file, with your prefix; `s3://…` in a bucket of your own. */
                            file: string | null;
                            /** @description Of the first occurrence, from 1. */
                            line: number | null;
                            message: string;
                            /** @description The cell at fault, cut at 256 characters. */
                            value: string | null;
                        }[] | null;
                        /**
                         * @description As it was submitted; empty for a deletion.
                         * @example devices.csv
                         */
                        file_path: string;
                        /**
                         * @description The import job.
                         * @example 1
                         */
                        import_log_id: number;
                        /** @description 0 = attribute_id, 1 = partner_foreign_key. */
                        key_type: number;
                        /**
                         * @description For a deletion the keys as they were sent, else null.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description 0 = import, 1 = deletion of attribute data, 2 = dry run.
                         * @example 0
                         */
                        log_type: number;
                        /**
                         * @description 0 = shared bucket, 1 = a bucket of your own.
                         * @example 0
                         */
                        path_type: number;
                        /**
                         * @description 0 = pending, waits behind earlier jobs; 1 = importing; 2 = done; 3 = error, nothing was applied.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Data rows read, rejected ones included; for a deletion the pairs of device and attribute that are gone. "0" until the job ends.
                         * @example 1200
                         */
                        total_rows: string;
                        /**
                         * @description Distinct devices of the accepted rows; for a deletion those that lost an attribute. "0" until the job ends.
                         * @example 1200
                         */
                        unique_devices: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listImportFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As the queued import answered.
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example 0 */
                        rejected_rows: number;
                        /**
                         * @description The key with your prefix; `s3://…` in a bucket of your own.
                         * @example partner-1/devices.csv
                         */
                        s3_path: string;
                        /**
                         * @description 0 = not read yet; 1 = being read; 2 = read; 3 = failed, and the import with it.
                         * @example 2
                         */
                        status: number;
                        /** @description Data rows read, rejected ones included. */
                        total_rows: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                 * @description As the queued import answered.
                 * @example 1
                 */
                import_log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Of the files as they are stored.
                         * @example 52428800
                         */
                        bytes_read: number;
                        /**
                         * @description Of all files of the job; 0 until they have been looked up.
                         * @example 104857600
                         */
                        bytes_total: number;
                        /**
                         * @description How long reading the rest takes at the pace so far; 0 once it has ended, null if unknown.
                         * @example 2
                         */
                        eta_seconds: number | null;
                        /**
                         * @description 0 while it runs, 1 if it is the next of your jobs; null once it has ended.
                         * @example 0
                         */
                        queue_position: number | null;
                        /**
                         * @description Since the job began; null before there is anything to tell.
                         * @example 700000
                         */
                        rows_per_second: number | null;
                        /** @example 1400000 */
                        rows_read: number;
                        /**
                         * @description The job directly ahead of it, if there is one: its import_log_id, unless it loads an audience.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                 * @description As the queued import answered.
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
                    /** @description A name for the download. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        /** @example malformed_id */
                        code: string;
                        /**
                         * @description How original is written: as text, or in base64 if its bytes are not UTF-8.
                         * @enum {unknown}
                         */
                        encoding: "utf-8" | "base64";
                        /** @example partner-1/devices.csv */
                        file: string;
                        /**
                         * @description From 1.
                         * @example 17
                         */
                        line: number;
                        /**
                         * @description The line, cut at 1 KiB.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudiences: {
        parameters: {
            query?: {
                /** @description Only those with a larger audience_id. */
                after?: number;
                /** @description How many at most; all of them if left out. */
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
                    /** @description The path of the next page, with `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by us.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Leads to its composition report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description Those of the unique devices that carry an attribute of the marketplace.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices now in the audience.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, duplicates included.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Relative to your prefix in the shared bucket; the same place may be named with the prefix, or as `s3://<bucket>/<prefix>…`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.
                     * @example audience.csv
                     */
                    file_path: string;
                    /**
                     * @description What you call it; need not be unique. No control characters.
                     * @example Summer sale
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created, and its load queued. */
            201: {
                headers: {
                    /** @description The path of the audience. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Of the new audience.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * @description Leads to its composition report in the console.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getAudience: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Assigned by us.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Leads to its composition report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /** @description One entry for each file since the last clear, in the order of their first load. A file enters when the turn of its load has come. */
                        file: {
                            /**
                             * @description Valid rows of its last load that succeeded; 0 if none did.
                             * @example 1200
                             */
                            rows_uploaded: number;
                            /**
                             * @description The key, beginning with your prefix.
                             * @example partner-1/audience.csv
                             */
                            s3_path: string;
                            /**
                             * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading.
                             * @example 2
                             */
                            status: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC, milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            updated_at: string;
                        }[];
                        /**
                         * @description Those of the unique devices that carry an attribute of the marketplace.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description 0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.
                         * @example 2
                         */
                        status: number;
                        /**
                         * @description Distinct devices now in the audience.
                         * @example 1000
                         */
                        unique_devices: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        updated_at: string;
                        /**
                         * @description Valid rows loaded since the last clear, duplicates included.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description As its creation answered.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                /** @description A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description As its creation answered.
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
                     * @description Relative to your prefix in the shared bucket; the same place may be named with the prefix, or as `s3://<bucket>/<prefix>…`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    getComposition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                        /** @description Every attribute of the marketplace, by attribute_id. */
                        attributes: {
                            /**
                             * @description Of any partner.
                             * @example 1
                             */
                            attribute_id: number;
                            /**
                             * @description Matched devices of the audience that carry it.
                             * @example 200
                             */
                            audience_devices: number | null;
                            /**
                             * @description Of the matched devices.
                             * @example 0.2
                             */
                            audience_share: number | null;
                            /**
                             * @description All devices that carry it.
                             * @example 1000
                             */
                            baseline_devices: number;
                            /**
                             * @description Of the universe; null if that is empty.
                             * @example 0.1
                             */
                            baseline_share: number | null;
                            /**
                             * @description 100 × audience_share / baseline_share.
                             * @example 200
                             */
                            index: number | null;
                            /**
                             * @description Its upper end.
                             * @example 229.41
                             */
                            index_high: number | null;
                            /**
                             * @description The lower end of the index's 95% interval: of the ratio of shares, by its logarithm (delta method), the shares taken as independent.
                             * @example 174.36
                             */
                            index_low: number | null;
                            /** @example Autos > Intenders */
                            name: string;
                            /**
                             * @description Why figures are null: `audience_too_small`, `too_few_devices` with the attribute or `too_few_others` without it, by the suppression threshold (50 unless the operator set another); `no_devices_outside` if the audience is the whole universe, of which there is no z.
                             * @example null
                             */
                            suppressed: ("audience_too_small" | "too_few_devices" | "too_few_others" | "no_devices_outside") | null;
                            /**
                             * @description How many standard errors audience_share lies above the share of it among the devices of the universe that are not in the audience (two proportions, pooled).
                             * @example 11.11
                             */
                            z: number | null;
                        }[];
                        /**
                         * @description Which audience.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        computed_at: string;
                        /**
                         * @description Leads to this report in the console.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /** @description The event labels of the files, in the order in which they came. */
                        events: {
                            /**
                             * @description Distinct devices that came with it.
                             * @example 500
                             */
                            devices: number;
                            /** @example purchase */
                            label: string;
                            /**
                             * @description Of unique_devices; null if there are none.
                             * @example 0.4
                             */
                            share: number | null;
                        }[];
                        /**
                         * @description Those of them in the universe.
                         * @example 1000
                         */
                        matched_devices: number;
                        /**
                         * @description Whether something it was computed from has changed since.
                         * @example false
                         */
                        stale: boolean;
                        /**
                         * @description Distinct devices of the audience.
                         * @example 1250
                         */
                        unique_devices: number;
                        /**
                         * @description All devices that carry an attribute of any partner.
                         * @example 10000
                         */
                        universe_devices: number;
                        /** @description Which version of the universe it is of. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
    listAudienceErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As its creation answered.
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example malformed_id */
                        code: string;
                        /** @description Which cell, from 1. */
                        column: number | null;
                        /** @description How often it occurred in the file. */
                        count: number;
                        /** @description The key of the file, with your prefix; `s3://…` in a bucket of your own. */
                        file: string | null;
                        /** @description Of the first occurrence, from 1. */
                        line: number | null;
                        message: string;
                        /** @description The cell at fault, cut at 256 characters. */
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                 * @description As its creation answered.
                 * @example 1
                 */
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Of the files as they are stored.
                         * @example 52428800
                         */
                        bytes_read: number;
                        /**
                         * @description Of all files of the job; 0 until they have been looked up.
                         * @example 104857600
                         */
                        bytes_total: number;
                        /**
                         * @description How long reading the rest takes at the pace so far; 0 once it has ended, null if unknown.
                         * @example 2
                         */
                        eta_seconds: number | null;
                        /**
                         * @description 0 while it runs, 1 if it is the next of your jobs; null once it has ended.
                         * @example 0
                         */
                        queue_position: number | null;
                        /**
                         * @description Since the job began; null before there is anything to tell.
                         * @example 700000
                         */
                        rows_per_second: number | null;
                        /** @example 1400000 */
                        rows_read: number;
                        /**
                         * @description The job directly ahead of it, if there is one: its import_log_id, unless it loads an audience.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
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
                 * @description As its creation answered.
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
                    /** @description A name for the download. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        /** @example malformed_id */
                        code: string;
                        /**
                         * @description How original is written: as text, or in base64 if its bytes are not UTF-8.
                         * @enum {unknown}
                         */
                        encoding: "utf-8" | "base64";
                        /** @example partner-1/devices.csv */
                        file: string;
                        /**
                         * @description From 1.
                         * @example 17
                         */
                        line: number;
                        /**
                         * @description The line, cut at 1 KiB.
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
                         * @description One of a closed set.
                         * @enum {unknown}
                         */
                        code: "invalid_input" | "malformed_body" | "unauthenticated" | "forbidden" | "not_found" | "not_computed_yet" | "method_not_allowed" | "request_timeout" | "foreign_key_taken" | "email_taken" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable" | "storage_full";
                        /** @description What was wrong, and what to send instead. */
                        detail: string;
                        /** @description For invalid_input: the faults, up to 50, each with a JSON pointer to it; or the name of its header or query parameter, or its line and column in a CSV. */
                        errors?: {
                            message: string;
                            pointer: string;
                        }[];
                        /** @description Also in the X-Request-Id header. */
                        request_id: string;
                        status: number;
                        title: string;
                        /** @description Where the problem is described. */
                        type: string;
                    };
                };
            };
        };
    };
}
