// Generated from our own OpenAPI document by test/integration/http/reference/client-types.test.ts.

export interface paths {
    "/admin/v1/admin-token/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the admin token
         * @description Creates a new admin token, which every process accepts at once. The old one is accepted until the overlap ends, even if a process is still configured with it; after that it is refused for ever. Console sessions that were opened with it end at once, except the one that sends this request. The new token is returned only in this response.
         */
        post: operations["rotateAdminToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit log
         * @description All calls of the operator API, including this one, and all writes of partners, users and apps, including writes to the embedded object store. Newest first. Entries are deleted after `TRIBUTARY_AUDIT_DAYS`, read-only calls after `TRIBUTARY_AUDIT_READ_DAYS`, and entries about objects after `TRIBUTARY_AUDIT_OBJECT_DAYS`.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description All matching entries, newest first, one JSON object per line.
         */
        get: operations["exportAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backups
         * @description The latest 100 entries about backups, newest first: sets that were made, verified or removed, by the service or by the command, and what is in progress.
         */
        get: operations["listBackups"];
        put?: never;
        /**
         * Make, verify or remove a backup
         * @description A worker processes the entries one at a time. The entry shows the progress and the outcome.
         */
        post: operations["requestBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/backups/{backup_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a backup
         * @description One entry, with its progress.
         */
        get: operations["getBackup"];
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
         * @description Partners load audiences on behalf of customers, with a user token.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/customers/{customer_id}": {
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
         * Remove a customer
         * @description Disables the customer for good and deletes its users, their sessions and grants, and its user tokens at once. A worker then deletes the audiences that partners loaded for it, with all their devices, and the logs of these loads. This cannot be undone.
         */
        delete: operations["removeCustomer"];
        options?: never;
        head?: never;
        /**
         * Rename, disable or enable a customer
         * @description A new name is shown everywhere from the next request on; the id stays. While a customer is disabled, its users cannot sign in, and user tokens and the tokens of apps that act for its users are refused. Disabling also ends the sessions of its users and cancels the pending and running loads of its audiences, which then have the problem `access_disabled`. Its audiences stay.
         */
        patch: operations["changeCustomer"];
        trace?: never;
    };
    "/admin/v1/customers/{customer_id}/holdings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a customer has
         * @description What stops working if the customer is disabled, and is deleted if it is removed.
         */
        get: operations["getCustomerHoldings"];
        put?: never;
        post?: never;
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
         * @description The user can sign in to the console and see the customer's audiences. The service stores only an argon2id hash of the password. Without a password, the user chooses one with a link: see `createPasswordLink`.
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
         * @description Ends the user's sessions and revokes the grants the user gave to apps.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Sets a new password, or disables or enables the user. The user's sessions end, and password links as well unless the user is only enabled. While a user is disabled, the tokens of apps that act for the user are refused. A new password does not affect those tokens.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/admin/v1/customers/{customer_id}/users/{user_id}/password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link to choose a password
         * @description An invitation if the user has never signed in, valid for 7 days; otherwise a reset, valid for 24 hours. The link works once. Earlier links stay valid until the user uses one; beyond 5 links, the new one replaces the oldest. If `TRIBUTARY_SMTP_URL` is set, the service sends it to the user. Otherwise, or if that fails, give `url` to the user.
         */
        post: operations["createPasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the service for problems
         * @description Examines settings, disk, permissions, clocks, versions, addresses, certificates, secrets, jobs, deletions and files, as `tributary doctor` does, from the machine of the API process. It does not read the contents of files; `tributary doctor --deep` does.
         */
        get: operations["examineService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs of all partners
         * @description Imports, dry runs, deletions, erasures and loads of audiences. Jobs are deleted `TRIBUTARY_JOB_DAYS` after they end. One request looks at a limited number of jobs, so a page may have fewer jobs than `limit`, or none, although the `Link` header names a next page.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job
         * @description A job of any partner, with its problems and files.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Which apps may act for which users, newest first.
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
         * @description Newest first, without the keys themselves. The service creates the first key when it needs one.
         */
        get: operations["listOauthKeys"];
        put?: never;
        /**
         * Rotate the authorization server's keys
         * @description Creates a new key. Every process signs with it within a minute. The previous key verifies its own signatures until they expire, after an hour.
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
    "/admin/v1/partners/{partner_id}": {
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
         * Remove a partner
         * @description Disables the partner for good and deletes its credentials at once. A worker then deletes its attributes and audiences with all their devices, its jobs and their logs, and the objects under its prefix. Its attributes disappear from everyone's reports. Its id, name and usage are kept. This cannot be undone.
         */
        delete: operations["removePartner"];
        options?: never;
        head?: never;
        /**
         * Rename, disable or enable a partner
         * @description A new name is shown everywhere from the next request on; the id and the prefix stay. While a partner is disabled, its API keys, storage credentials, apps and user tokens are refused. Disabling also ends its sessions and cancels its pending and running jobs, which then have the problem `access_disabled`. Its data stays, also in everyone's reports. Open streams end within 15 seconds. After enabling, its credentials work again; the partner signs in and queues its jobs again. Credentials and upload links of an external store do not stop: revoke them there.
         */
        patch: operations["changePartner"];
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
         * @description The key is returned only in this response; the service stores only its hash.
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
         * @description The key, and every console session opened with it, is refused from the next request on. Upload links it created stay valid until they expire, for up to 15 minutes.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/disclosure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a partner's reports reveal */
        get: operations["getPartnerDisclosure"];
        /**
         * Set what a partner's reports reveal
         * @description Applies to the next request. Reports that wait for the next day are computed at once if the mode becomes `exact`.
         */
        put: operations["setPartnerDisclosure"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/holdings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a partner has
         * @description What stops working if the partner is disabled, and is deleted if it is removed.
         */
        get: operations["getPartnerHoldings"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Without their secrets.
         */
        get: operations["listOauthApps"];
        put?: never;
        /**
         * Create an OAuth app
         * @description The partner uses the app to act for users who allow it. The secret is returned only in this response; the service stores only its hash.
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
         * @description Also removes its grants and tokens.
         */
        delete: operations["removeOauthApp"];
        options?: never;
        head?: never;
        /**
         * Change an OAuth app
         * @description While an app is disabled, it cannot get tokens, and the tokens it has are refused from the next request on.
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
         * @description The previous secret is refused from the next request on; tokens stay valid. The new secret is returned only in this response.
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
         * @description The body is the object; its content type is ignored. The object becomes visible, and replaces an existing one, only when it is complete.
         */
        put: operations["putObject"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quotas of a partner
         * @description The storage quota is at `/admin/v1/partners/{partner_id}/storage`.
         */
        get: operations["getPartnerQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set a partner's quotas
         * @description Quotas that are left out stay as they are. A lower quota deletes nothing.
         */
        patch: operations["changePartnerQuotas"];
        trace?: never;
    };
    "/admin/v1/partners/{partner_id}/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Storage of a partner */
        get: operations["getPartnerStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set a partner's storage quota and how long its uploads are kept
         * @description Members that are left out stay as they are. With a lower number of days, files that are older are deleted within an hour.
         */
        patch: operations["updatePartnerStorage"];
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
         * @description Without their secrets.
         */
        get: operations["listStorageCredentials"];
        put?: never;
        /**
         * Create storage credentials
         * @description They allow any S3 client to upload under the partner's prefix, and nowhere else. The secret is returned only in this response. If the shared bucket is in an external store, send the key pair created there.
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
    "/admin/v1/partners/{partner_id}/trouble": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What delays a partner
         * @description Retries, reports on hold and quotas. Failed jobs are at `GET /admin/v1/jobs`.
         */
        get: operations["getPartnerTrouble"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Lets the partner act for the customer: the partner sends it as `x-user-token` along with its API key. The token is returned only in this response; the service stores only its hash.
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
         * @description The token is refused from the next request on.
         */
        delete: operations["revokeUserToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/archives/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Process an archive of DROP
         * @description The body is a ZIP file that was downloaded in the portal of DROP. A worker processes it; its responses are then files of the cycle, to be uploaded in the portal. The same archive makes one cycle only.
         */
        put: operations["putDropArchive"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cycles of DROP
         * @description One for each archive of California's deletion lists, newest first.
         */
        get: operations["listDropCycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/cycles/{cycle_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Evidence of a cycle of DROP
         * @description What came and when, hashes of the files, counts of each status, what was sent and what DROP answered.
         */
        get: operations["getDropCycle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/cycles/{cycle_id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a cycle of DROP
         * @description For responses and amendments that the operator uploaded in the portal, and for archives that cannot be used and are settled with DROP. A cycle that is not answered yet cannot be closed.
         */
        post: operations["closeDropCycle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/cycles/{cycle_id}/files/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a cycle of DROP
         * @description A response or amendment by its name, or the ZIP file as it came.
         */
        get: operations["getDropFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of DROP
         * @description When California's deletion lists were fetched, what is open, and what is next.
         */
        get: operations["getDropStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/drop/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call DROP now
         * @description A worker sends what is ready, also files that DROP has rejected, and downloads new lists. Needs `TRIBUTARY_DROP_API_KEY` in the workers.
         */
        post: operations["syncDrop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List privacy requests
         * @description Newest first.
         */
        get: operations["listPrivacyRequests"];
        put?: never;
        /**
         * Delete devices, opt them out, or ask what is stored about them
         * @description A worker carries out the request. For `delete` and `opt_out` it first makes sure that no load stores the devices any more, then removes them from every attribute, audience and label of every partner, from reports, and from rejected rows. Their bytes leave the disk within `TRIBUTARY_DELETION_HOURS`. Until the request is done, its identifiers are stored encrypted; afterwards only their SHA-256 is kept. An answer or log never contains one.
         */
        post: operations["createPrivacyRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a privacy request
         * @description With the time of each step, and counts.
         */
        get: operations["getPrivacyRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/requests/{request_id}/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The answer to an access request
         * @description Which attributes and audiences hold the devices, and since when. Empty until the request is done, and again 30 days later.
         */
        get: operations["listPrivacyFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/privacy/requests/{request_id}/identifiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Identifiers of a privacy request
         * @description By their digests, in the order of the request, with what was found.
         */
        get: operations["listPrivacyIdentifiers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/secret-key/reseal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt all stored secrets with the newest secret key
         * @description The newest key is the first in `TRIBUTARY_SECRET_KEY`. Call it when all processes have that setting. Then the older keys can be removed from it.
         */
        post: operations["resealSecrets"];
        delete?: never;
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
         * @description All console sessions, newest first.
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
         * @description The session is refused from the next request on.
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
         * @description Pending and running jobs, partners with failed jobs, the state of the universe, the version of the schema, the newest backup, and storage totals.
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
    "/admin/v1/trends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs, rows and waiting times by day
         * @description One entry per day (UTC) up to today, oldest first, including days without jobs. A job counts on the day it ended, even after it is deleted.
         */
        get: operations["listTrends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Usage of partners by month
         * @description As JSON, or as CSV with `Accept: text/csv`. Removed partners are included.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/warehouse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the device sets are
         * @description The place of the device sets, and the latest copy to another one.
         */
        get: operations["getWarehouse"];
        put?: never;
        /**
         * Move the device sets
         * @description A worker copies all device sets to another place while the service runs. Then all processes use the new place, without a restart. The old place stays until `forget`.
         */
        post: operations["moveWarehouse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The webhooks of all partners, ordered by webhook_id. Use `limit` and `after` to page through them. Unknown parameters are rejected.
         */
        get: operations["listAllWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Disable or enable a webhook
         * @description The partner cannot enable a webhook that you disabled. Its events wait, and are sent when you enable it.
         */
        patch: operations["disableWebhook"];
        trace?: never;
    };
    "/admin/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description The events for the webhook, newest first, each with its attempts, without their contents. Use `limit` and `after` to page through them. Unknown parameters are rejected.
         */
        get: operations["listAllWebhookDeliveries"];
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
        /** Check that the process is alive */
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
        /** Check that the service is ready */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your keys, storage credentials and apps
         * @description Lists those that are not revoked, oldest first, without secrets. The operator creates and revokes them.
         */
        get: operations["getOwnAccess"];
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
         * @description For customers' users. The most recently allowed app comes first. Use `limit` and `after` to page through them. Unknown parameters are rejected.
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
         * @description Revokes every grant you gave the app. Its tokens for you are refused from the next request on.
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
         * @description The audiences of the partner, or, with a user token or for a signed-in customer’s user, those of the customer. With `Accept: text/event-stream` the response is a stream. It sends an event `audiences` with the data `{"audiences": […]}` at once, and again within about two seconds of a change. Comment lines keep the stream alive. It ends when the caller loses access.
         */
        get: operations["listConsoleAudiences"];
        put?: never;
        /**
         * Create an audience for a customer
         * @description Only for partners who are signed in to the console, and only for customers for whom the partner has a valid user token. Programs create an audience with the user token instead.
         */
        post: operations["createConsoleAudience"];
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
         * Get an authorization request
         * @description For customers' users. A partner's app has sent the browser here to ask whether it may act for the user. Only that browser can see the request.
         */
        get: operations["getAuthorization"];
        put?: never;
        /** Allow or refuse an app */
        post: operations["decideAuthorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the customers you may act for
         * @description The customers for whom you have a valid user token, by name.
         */
        get: operations["listConsoleCustomers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/imports/{import_log_id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the request of an import
         * @description Returns the body of the request that queued an import or dry run. Send it again to run the import again. It has no credentials, because they are deleted when the import ends.
         */
        get: operations["getImportRequest"];
        put?: never;
        post?: never;
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
         * List jobs of every kind, newest first
         * @description Imports, dry runs, deletions and loads of audiences, each with its progress. Use `limit` and `after` to page through them. With `state`, `kind` or `search`, one request looks at 5000 jobs at most, so a page may have fewer jobs than `limit`, or none, although the `Link` header names a next page. With `Accept: text/event-stream` the response is a stream. It sends an event `jobs` with the data `{"jobs": […], "next": …}` at once, and again within about a second of a change, or within five seconds if the list is filtered. `next` is the `after` of the next page, or null. Comment lines keep the stream alive. It ends when the caller loses access.
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
    "/v1/console/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List uploaded files by folder
         * @description Your folders and files in the shared bucket that begin with `prefix` and are not in a deeper folder. All paths are relative to your prefix, as in the `file_path` of an import.
         */
        get: operations["listConsoleObjects"];
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
         * @description For customers' users. Your other sessions and your password links end. Connected apps stay connected.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/password-links/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a link
         * @description Returns the user whose password the link sets. The link stays valid.
         */
        post: operations["checkPasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/password-links/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link to choose a new password
         * @description If a user has this address, the service sends the link by e-mail. The response is the same if there is no such user. The link works once, for 24 hours. Earlier links stay valid until the user uses one. A user who has 5 valid links gets no other one.
         */
        post: operations["requestPasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/password-links/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a password with a link
         * @description Sets the password, and ends all of the user's links and sessions. Connected apps stay connected.
         */
        post: operations["usePasswordLink"];
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
         * @description The console uses it to open a composition report from a link.
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
         * Get the current session
         * @description Answers 204, not an error, if nobody is signed in.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description A customer's user signs in with e-mail and password, a partner with an API key, the operator with the admin token. The session is a cookie that is valid for 12 hours. Send `csrf_token` as `x-csrf-token` with every request that uses the cookie and changes something. Sign-in is blocked for a while after too many failures within 15 minutes: 5 for one e-mail or key from one network, 30 from one network, or 100 for one e-mail.
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
         * @description Newest first: the sessions of the same user or API key, or all operator sessions.
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
    "/v1/firstparty/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audiences (v1)
         * @description The same as `listAudiences` at /v2/firstparty/audience.
         */
        get: operations["listAudiencesV1"];
        put?: never;
        /**
         * Create an audience (v1)
         * @description The same as `createAudience` at /v2/firstparty/audience.
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
         * @description The same as `getAudience` at /v2/firstparty/audience.
         */
        get: operations["getAudienceV1"];
        /**
         * Clear an audience (v1)
         * @description The same as `clearAudience` at /v2/firstparty/audience.
         */
        put: operations["clearAudienceV1"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Append files (v1)
         * @description The same as `appendFiles` at /v2/firstparty/audience.
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
         * @description The same as `getComposition` at /v2/firstparty/audience.
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
         * @description The same as `listAudienceErrors` at /v2/firstparty/audience.
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
    "/v1/firstparty/audience/{audience_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes (v1)
         * @description The same as `listAudienceHistory` at /v2/firstparty/audience.
         */
        get: operations["listAudienceHistoryV1"];
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
         * @description The same as `getAudienceProgress` at /v2/firstparty/audience.
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
         * @description The same as `downloadAudienceRejects` at /v2/firstparty/audience.
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
    "/v1/firstparty/audience/{audience_id}/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List watches (v1)
         * @description The same as `listAudienceWatches` at /v2/firstparty/audience.
         */
        get: operations["listAudienceWatchesV1"];
        put?: never;
        /**
         * Create a watch (v1)
         * @description The same as `createAudienceWatch` at /v2/firstparty/audience.
         */
        post: operations["createAudienceWatchV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/watch/{watch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a watch (v1)
         * @description The same as `getAudienceWatch` at /v2/firstparty/audience.
         */
        get: operations["getAudienceWatchV1"];
        put?: never;
        post?: never;
        /**
         * Remove a watch (v1)
         * @description The same as `removeAudienceWatch` at /v2/firstparty/audience.
         */
        delete: operations["removeAudienceWatchV1"];
        options?: never;
        head?: never;
        /**
         * Change a watch (v1)
         * @description The same as `changeAudienceWatch` at /v2/firstparty/audience.
         */
        patch: operations["changeAudienceWatchV1"];
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/watch/{watch_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a watch (v1)
         * @description The same as `listAudienceWatchFiles` at /v2/firstparty/audience.
         */
        get: operations["listAudienceWatchFilesV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firstparty/audience/{audience_id}/watch/{watch_id}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the files of a watch now (v1)
         * @description The same as `pollAudienceWatch` at /v2/firstparty/audience.
         */
        post: operations["pollAudienceWatchV1"];
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
    rotateAdminToken: {
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
                     * @description How long the old token stays valid. 24 hours if left out.
                     * @example 3600
                     */
                    overlap_seconds?: number;
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
                        /** @example trib_admin_… */
                        admin_token: string;
                        /** @description Whether the service has written the token to the file `admin-token` of its data dir. Otherwise set `TRIBUTARY_ADMIN_TOKEN` to it for every process, and restart them at any time. */
                        is_saved: boolean;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        old_valid_until: string;
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
    listAuditEntries: {
        parameters: {
            query?: {
                /**
                 * @description Only calls of this operation: its method and route, or `s3:PutObject` and `s3:DeleteObject` for the S3 endpoint.
                 * @example POST /admin/v1/partners
                 */
                action?: string;
                /**
                 * @description Who called: the operator, a partner with an API key or storage credentials, a user in the console, or an app for a user.
                 * @example partner
                 */
                actor?: "operator" | "partner" | "user" | "app";
                /**
                 * @description Return only entries that follow the one with this audit_entry_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /** @description `true`: without read-only calls. */
                changes?: "true" | "false";
                /**
                 * @description Only calls of users of this customer, or for it.
                 * @example 1
                 */
                customer_id?: number;
                /**
                 * @description Maximum number of entries. Defaults to 1000.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Only calls of this partner and of its apps.
                 * @example 1
                 */
                partner_id?: number;
                /**
                 * @description Only calls at or after this time. A date, or a time in UTC.
                 * @example 2026-01-31
                 */
                since?: string;
                /**
                 * @description Only calls before this time. A date, or a time in UTC.
                 * @example 2026-01-31
                 */
                until?: string;
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
                        /** @description The storage credentials that signed a call of the S3 endpoint. */
                        access_key_id: string | null;
                        /** @example POST /admin/v1/partners */
                        action: string;
                        /**
                         * @description Who called: the operator, a partner with an API key or storage credentials, a user in the console, or an app for a user.
                         * @example partner
                         * @enum {unknown}
                         */
                        actor: "operator" | "partner" | "user" | "app";
                        /** @description The record after the call, without secrets. Null if there is none. */
                        after: unknown | null;
                        /** @description The API key of the partner or app. */
                        api_key_id: number | null;
                        api_key_label: string | null;
                        app_name: string | null;
                        /**
                         * @description The entry.
                         * @example 1
                         */
                        audit_entry_id: number;
                        /** @description The record before the call, without secrets. Null if there was none. */
                        before: unknown | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        called_at: string;
                        /** @description The app. */
                        client_id: string | null;
                        /** @description The customer acted for. */
                        customer_id: number | null;
                        /** @description Of the user, if it still exists. */
                        email: string | null;
                        partner_id: number | null;
                        /** @description Its name now. */
                        partner_name: string | null;
                        remote_address: string;
                        request_id: string;
                        /** @description Null while the call is in progress, or if the process died during it. 499 if the client disconnected before the response. */
                        status: number | null;
                        /** @description The requested path. */
                        target: string;
                        user_id: number | null;
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
    exportAuditEntries: {
        parameters: {
            query?: {
                /**
                 * @description Only calls of this operation: its method and route, or `s3:PutObject` and `s3:DeleteObject` for the S3 endpoint.
                 * @example POST /admin/v1/partners
                 */
                action?: string;
                /**
                 * @description Who called: the operator, a partner with an API key or storage credentials, a user in the console, or an app for a user.
                 * @example partner
                 */
                actor?: "operator" | "partner" | "user" | "app";
                /** @description `true`: without read-only calls. */
                changes?: "true" | "false";
                /**
                 * @description Only calls of users of this customer, or for it.
                 * @example 1
                 */
                customer_id?: number;
                /**
                 * @description Only calls of this partner and of its apps.
                 * @example 1
                 */
                partner_id?: number;
                /**
                 * @description Only calls at or after this time. A date, or a time in UTC.
                 * @example 2026-01-31
                 */
                since?: string;
                /**
                 * @description Only calls before this time. A date, or a time in UTC.
                 * @example 2026-01-31
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        /** @description The storage credentials that signed a call of the S3 endpoint. */
                        access_key_id: string | null;
                        /** @example POST /admin/v1/partners */
                        action: string;
                        /**
                         * @description Who called: the operator, a partner with an API key or storage credentials, a user in the console, or an app for a user.
                         * @example partner
                         * @enum {unknown}
                         */
                        actor: "operator" | "partner" | "user" | "app";
                        /** @description The record after the call, without secrets. Null if there is none. */
                        after: unknown | null;
                        /** @description The API key of the partner or app. */
                        api_key_id: number | null;
                        api_key_label: string | null;
                        app_name: string | null;
                        /**
                         * @description The entry.
                         * @example 1
                         */
                        audit_entry_id: number;
                        /** @description The record before the call, without secrets. Null if there was none. */
                        before: unknown | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        called_at: string;
                        /** @description The app. */
                        client_id: string | null;
                        /** @description The customer acted for. */
                        customer_id: number | null;
                        /** @description Of the user, if it still exists. */
                        email: string | null;
                        partner_id: number | null;
                        /** @description Its name now. */
                        partner_name: string | null;
                        remote_address: string;
                        request_id: string;
                        /** @description Null while the call is in progress, or if the process died during it. 499 if the client disconnected before the response. */
                        status: number | null;
                        /** @description The requested path. */
                        target: string;
                        user_id: number | null;
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
    listBackups: {
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
                        action: "create" | "verify" | "remove";
                        /**
                         * @description The entry.
                         * @example 1
                         */
                        backup_id: number;
                        bytes: number | null;
                        /** @description Bytes copied or read so far. */
                        bytes_done: number;
                        /** @description All bytes to copy or read. 0 until known. */
                        bytes_total: number;
                        ended_at: string | null;
                        files: number | null;
                        new_bytes: number | null;
                        /** @description Why it failed, or what a complete set lacks. */
                        problem: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        requested_at: string;
                        /**
                         * @description The set. Null for all sets, or before the set has a name.
                         * @example 20260131T120000000Z-4f2a90
                         */
                        set: string | null;
                        started_at: string | null;
                        state: "pending" | "running" | "done" | "failed";
                        /**
                         * @description The folder or bucket.
                         * @example s3://backups/tributary
                         */
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
    requestBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default create */
                    action?: "create" | "verify" | "remove";
                    /** @description The set to verify or to remove. Without it, all sets are verified. */
                    set?: string;
                    /**
                     * @description A folder of the machine on which the worker runs, as an absolute path, or `s3://bucket/prefix`. Without it, `TRIBUTARY_BACKUP_TARGET`.
                     * @example s3://backups/tributary
                     */
                    target?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        action: "create" | "verify" | "remove";
                        /**
                         * @description The entry.
                         * @example 1
                         */
                        backup_id: number;
                        bytes: number | null;
                        /** @description Bytes copied or read so far. */
                        bytes_done: number;
                        /** @description All bytes to copy or read. 0 until known. */
                        bytes_total: number;
                        ended_at: string | null;
                        files: number | null;
                        new_bytes: number | null;
                        /** @description Why it failed, or what a complete set lacks. */
                        problem: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        requested_at: string;
                        /**
                         * @description The set. Null for all sets, or before the set has a name.
                         * @example 20260131T120000000Z-4f2a90
                         */
                        set: string | null;
                        started_at: string | null;
                        state: "pending" | "running" | "done" | "failed";
                        /**
                         * @description The folder or bucket.
                         * @example s3://backups/tributary
                         */
                        target: string;
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
    getBackup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The entry.
                 * @example 1
                 */
                backup_id: string;
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
                        action: "create" | "verify" | "remove";
                        /**
                         * @description The entry.
                         * @example 1
                         */
                        backup_id: number;
                        bytes: number | null;
                        /** @description Bytes copied or read so far. */
                        bytes_done: number;
                        /** @description All bytes to copy or read. 0 until known. */
                        bytes_total: number;
                        ended_at: string | null;
                        files: number | null;
                        new_bytes: number | null;
                        /** @description Why it failed, or what a complete set lacks. */
                        problem: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        requested_at: string;
                        /**
                         * @description The set. Null for all sets, or before the set has a name.
                         * @example 20260131T120000000Z-4f2a90
                         */
                        set: string | null;
                        started_at: string | null;
                        state: "pending" | "running" | "done" | "failed";
                        /**
                         * @description The folder or bucket.
                         * @example s3://backups/tributary
                         */
                        target: string;
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
    listCustomers: {
        parameters: {
            query?: {
                /**
                 * @description Return only customers that follow the one with this customer_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of customers. Without it, all are returned.
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
                        /**
                         * @description The customer.
                         * @example 1
                         */
                        customer_id: number;
                        /**
                         * @description Null if access is enabled.
                         * @example null
                         */
                        disabled_at: string | null;
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
                     * @description Name of the customer; need not be unique. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
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
                        /**
                         * @description Other partners and customers whose names look like this one. Missing if there are none.
                         * @example [
                         *       "The name looks like the one of customer 3: \"Harbor Coffee\"."
                         *     ]
                         */
                        warnings?: string[];
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
    removeCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
                 * @example 1
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. The data is being deleted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The latest time at which the bytes of all devices leave the disk: `TRIBUTARY_DELETION_HOURS` after the removal.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        delete_by: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        removed_at: string;
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
    changeCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
                 * @example 1
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example true */
                    disabled?: boolean;
                    /**
                     * @description New name of the customer; need not be unique. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example Harbor Coffee
                     */
                    name?: string;
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
    getCustomerHoldings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
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
                         * @description Audiences that partners loaded for it.
                         * @example 1
                         */
                        audiences: number;
                        /**
                         * @description Permissions that its users gave to apps.
                         * @example 1
                         */
                        grants: number;
                        /**
                         * @description Pending and running loads of its audiences.
                         * @example 1
                         */
                        open_jobs: number;
                        /**
                         * @description Console sessions of its users.
                         * @example 1
                         */
                        sessions: number;
                        /**
                         * @description User tokens that are valid.
                         * @example 1
                         */
                        user_tokens: number;
                        /**
                         * @description Users.
                         * @example 1
                         */
                        users: number;
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
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Return only users that follow the one with this user_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of users. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The customer.
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
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
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
                    password?: string;
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
    removeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
                 * @example 1
                 */
                customer_id: string;
                /**
                 * @description One of the customer's users.
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
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
                 * @example 1
                 */
                customer_id: string;
                /**
                 * @description One of the customer's users.
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
    createPasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The customer.
                 * @example 1
                 */
                customer_id: string;
                /**
                 * @description One of the customer's users.
                 * @example 1
                 */
                user_id: string;
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
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description Why the e-mail could not be sent. Null if it was sent, or no server is set up.
                         * @example null
                         */
                        mail_problem: string | null;
                        /** @description Null if no e-mail was sent. */
                        mailed_to: string | null;
                        /**
                         * @example invitation
                         * @enum {unknown}
                         */
                        purpose: "invitation" | "reset";
                        /**
                         * @description Shown only this once. Null if the link was sent by e-mail.
                         * @example null
                         */
                        url: string | null;
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
    examineService: {
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
                        findings: {
                            /** @description What to do. Null if nothing is to be done. */
                            advice: string | null;
                            /** @description What was examined. */
                            check: string;
                            found: string;
                            /** @enum {unknown} */
                            level: "ok" | "warning" | "failure";
                        }[];
                        /**
                         * @description The most severe level.
                         * @enum {unknown}
                         */
                        level: "ok" | "warning" | "failure";
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
    listJobs: {
        parameters: {
            query?: {
                /** @description Return only jobs that follow the one with this place in the list. The `Link` header of a page has the right value. */
                after?: string;
                /**
                 * @description An erasure is the removal of devices whose owners asked for it. `audience` is the load of an audience. Clearing an audience is not a job; it cancels the loads of the audience.
                 * @example import
                 */
                kind?: "import" | "dry_run" | "deletion" | "erasure" | "audience";
                /**
                 * @description Maximum number of jobs. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description `newest`: newest first, which is the default. `failures`: failed jobs first, then the others, both newest first.
                 * @example failures
                 */
                order?: "newest" | "failures";
                /**
                 * @description Only jobs of this partner.
                 * @example 1
                 */
                partner_id?: number;
                /**
                 * @description Only jobs queued at or after this time. A date, or a time in UTC.
                 * @example 2026-01-31
                 */
                since?: string;
                /** @example failed */
                state?: "pending" | "running" | "done" | "failed" | "cancelled";
                /**
                 * @description Only jobs queued before this time. A date, or a time in UTC.
                 * @example 2026-01-31
                 */
                until?: string;
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
                         * @description Number of attempts.
                         * @example 1
                         */
                        attempts: number;
                        /**
                         * @description The audience that the job loads. Null for other jobs.
                         * @example null
                         */
                        audience: {
                            /**
                             * @description The audience.
                             * @example 1
                             */
                            audience_id: number;
                            /** @example Summer sale */
                            name: string;
                        } | null;
                        /**
                         * Format: date-time
                         * @description When it was queued.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Null until it has ended. */
                        ended_at: string | null;
                        /**
                         * @description Also the import_log_id, unless the job loads an audience.
                         * @example 1
                         */
                        job_id: number;
                        /**
                         * @description Number of keys of a deletion. Null for other jobs.
                         * @example null
                         */
                        key_count: number | null;
                        /**
                         * @description The first keys of a deletion. Null for other jobs.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description An erasure is the removal of devices whose owners asked for it. `audience` is the load of an audience. Clearing an audience is not a job; it cancels the loads of the audience.
                         * @example import
                         * @enum {unknown}
                         */
                        kind: "import" | "dry_run" | "deletion" | "erasure" | "audience";
                        /**
                         * @description How many times its worker was lost.
                         * @example 0
                         */
                        losses: number;
                        /**
                         * @description The partner whose job it is.
                         * @example 1
                         */
                        partner_id: number;
                        /** @example acme */
                        partner_name: string;
                        /**
                         * @description The path of its files. Null for a deletion.
                         * @example devices.csv
                         */
                        path: string | null;
                        /**
                         * @description Why the job or one of its files failed, otherwise the first problem of its rows. Null if there is none.
                         * @example null
                         */
                        problem: {
                            code: string;
                            message: string;
                        } | null;
                        /**
                         * @description Number of problems.
                         * @example 0
                         */
                        problem_count: number;
                        /**
                         * @description Number of rejected rows.
                         * @example 3
                         */
                        rejected_rows: number;
                        /**
                         * @description How long the last attempt took, or has taken. Null while it is pending.
                         * @example 12.5
                         */
                        run_seconds: number | null;
                        /** @description When the last attempt began. Null while it is pending. */
                        started_at: string | null;
                        /**
                         * @example failed
                         * @enum {unknown}
                         */
                        state: "pending" | "running" | "done" | "failed" | "cancelled";
                        /**
                         * @description Rows read, including rejected rows; 0 until the job ends. For an audience, the valid rows of the files that the job has loaded so far.
                         * @example 1200
                         */
                        total_rows: number;
                        /**
                         * @description Distinct devices in the accepted rows. Null for an audience.
                         * @example 1000
                         */
                        unique_devices: number | null;
                        /**
                         * @description From the request to the last attempt, or until now while the job is pending.
                         * @example 0.4
                         */
                        waited_seconds: number;
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
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The job.
                 * @example 1
                 */
                job_id: string;
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
                         * @description Number of attempts.
                         * @example 1
                         */
                        attempts: number;
                        /**
                         * @description The audience that the job loads. Null for other jobs.
                         * @example null
                         */
                        audience: {
                            /**
                             * @description The audience.
                             * @example 1
                             */
                            audience_id: number;
                            /** @example Summer sale */
                            name: string;
                        } | null;
                        /**
                         * Format: date-time
                         * @description When it was queued.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Null until it has ended. */
                        ended_at: string | null;
                        /** @description The first 100 files. */
                        files: {
                            /** @example partner-1/devices.csv */
                            path: string;
                            /**
                             * @description Null for a file of an audience.
                             * @example 3
                             */
                            rejected_rows: number | null;
                            /** @example 1200 */
                            rows: number;
                            /** @enum {unknown} */
                            state: "pending" | "running" | "done" | "failed";
                        }[];
                        /**
                         * @description Also the import_log_id, unless the job loads an audience.
                         * @example 1
                         */
                        job_id: number;
                        /**
                         * @description Number of keys of a deletion. Null for other jobs.
                         * @example null
                         */
                        key_count: number | null;
                        /**
                         * @description The first keys of a deletion. Null for other jobs.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description An erasure is the removal of devices whose owners asked for it. `audience` is the load of an audience. Clearing an audience is not a job; it cancels the loads of the audience.
                         * @example import
                         * @enum {unknown}
                         */
                        kind: "import" | "dry_run" | "deletion" | "erasure" | "audience";
                        /**
                         * @description How many times its worker was lost.
                         * @example 0
                         */
                        losses: number;
                        /**
                         * @description The partner whose job it is.
                         * @example 1
                         */
                        partner_id: number;
                        /** @example acme */
                        partner_name: string;
                        /**
                         * @description The path of its files. Null for a deletion.
                         * @example devices.csv
                         */
                        path: string | null;
                        /**
                         * @description Why the job or one of its files failed, otherwise the first problem of its rows. Null if there is none.
                         * @example null
                         */
                        problem: {
                            code: string;
                            message: string;
                        } | null;
                        /**
                         * @description Number of problems.
                         * @example 0
                         */
                        problem_count: number;
                        /** @description The first 200 problems. The one that made the job or a file fail comes first. Of an ended load of an audience, it has only the problems of files that were neither cleared nor loaded again; `problem` and `problem_count` stay. */
                        problems: {
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
                        /**
                         * @description Number of rejected rows.
                         * @example 3
                         */
                        rejected_rows: number;
                        /**
                         * @description The id of the request that queued it, as in the log of the service. Null if the audit log no longer has it.
                         * @example req-4f2a90
                         */
                        request_id: string | null;
                        /**
                         * @description How long the last attempt took, or has taken. Null while it is pending.
                         * @example 12.5
                         */
                        run_seconds: number | null;
                        /** @description When the last attempt began. Null while it is pending. */
                        started_at: string | null;
                        /**
                         * @example failed
                         * @enum {unknown}
                         */
                        state: "pending" | "running" | "done" | "failed" | "cancelled";
                        /**
                         * @description Rows read, including rejected rows; 0 until the job ends. For an audience, the valid rows of the files that the job has loaded so far.
                         * @example 1200
                         */
                        total_rows: number;
                        /**
                         * @description Distinct devices in the accepted rows. Null for an audience.
                         * @example 1000
                         */
                        unique_devices: number | null;
                        /**
                         * @description From the request to the last attempt, or until now while the job is pending.
                         * @example 0.4
                         */
                        waited_seconds: number;
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
    listOauthGrants: {
        parameters: {
            query?: {
                /**
                 * @description Return only grants that follow the one with this grant_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Only grants from this customer's users.
                 * @example 1
                 */
                customer_id?: number;
                /**
                 * @description Maximum number of grants. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Only grants to this partner's apps.
                 * @example 1
                 */
                partner_id?: number;
                /**
                 * @description Only grants from this user.
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
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
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
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description The user's customer.
                         * @example 1
                         */
                        customer_id: number;
                        /** @example Harbor Coffee */
                        customer_name: string;
                        /** @example ada@harbor.example */
                        email: string;
                        /**
                         * Format: date-time
                         * @description When the grant expires unless the app gets new tokens before then.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description Identifies the grant when you revoke it.
                         * @example 1
                         */
                        grant_id: number;
                        /** @description Accurate to the minute. Null if never used. */
                        last_used_at: string | null;
                        /**
                         * @description The partner that owns the app.
                         * @example 1
                         */
                        partner_id: number;
                        /**
                         * @description The partner that owns the app.
                         * @example acme
                         */
                        partner_name: string;
                        /**
                         * @description The user the app acts for.
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
    revokeOauthGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The grant.
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
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description The key id.
                         * @example mC0xq7sXkS1nV3Ew
                         */
                        kid: string;
                        /** @description Null while the key has not been replaced. */
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
                         * @description The key id.
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
    listPartners: {
        parameters: {
            query?: {
                /**
                 * @description Return only partners that follow the one with this partner_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of partners. Without it, all are returned.
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
                         * @description The shared bucket.
                         * @example tributary
                         */
                        bucket: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Null if access is enabled.
                         * @example null
                         */
                        disabled_at: string | null;
                        /** @example acme */
                        name: string;
                        /**
                         * @description The partner.
                         * @example 1
                         */
                        partner_id: number;
                        /**
                         * @description The keys of the partner's objects begin with it. Ends in `/`.
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
                     * @description Name of the partner; need not be unique. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example acme
                     */
                    name: string;
                    /**
                     * @description Bytes that the partner may keep in the embedded object store; null for any number. A quota that is too low for what is stored deletes nothing. An external store has its own quotas.
                     * @example 200000000000
                     */
                    storage_quota?: number | null;
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
                         * @description The keys of the partner's objects begin with it. Ends in `/`.
                         * @example partner-1/
                         */
                        prefix: string;
                        /**
                         * @description Other partners and customers whose names look like this one. Missing if there are none.
                         * @example [
                         *       "The name looks like the one of customer 3: \"Harbor Coffee\"."
                         *     ]
                         */
                        warnings?: string[];
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
    removePartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. The data is being deleted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The latest time at which the bytes of all devices leave the disk: `TRIBUTARY_DELETION_HOURS` after the removal.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        delete_by: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        removed_at: string;
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
    changePartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description New name of the partner; need not be unique. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example acme
                     */
                    name?: string;
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
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description Return only API keys that follow the one with this api_key_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of API keys. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Identifies the key when you revoke it.
                         * @example 1
                         */
                        api_key_id: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        label: string;
                        /** @description Accurate to the minute. Null if never used. */
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
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description A label that tells the keys of a partner apart. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
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
                         * @description Identifies the key when you revoke it.
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
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description One of the partner's API keys.
                 * @example 1
                 */
                api_key_id: string;
                /**
                 * @description The partner.
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
    getPartnerDisclosure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                         * @description How the partner, and the customers that it loads audiences for, see counts that depend on the data of other partners: with noise, or exactly. Null: as `TRIBUTARY_DISCLOSURE` says.
                         * @example exact
                         */
                        mode: ("exact" | "protected") | null;
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
    setPartnerDisclosure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description How the partner, and the customers that it loads audiences for, see counts that depend on the data of other partners: with noise, or exactly. Null: as `TRIBUTARY_DISCLOSURE` says.
                     * @example exact
                     */
                    mode: ("exact" | "protected") | null;
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
                         * @description How the partner, and the customers that it loads audiences for, see counts that depend on the data of other partners: with noise, or exactly. Null: as `TRIBUTARY_DISCLOSURE` says.
                         * @example exact
                         */
                        mode: ("exact" | "protected") | null;
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
    getPartnerHoldings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                         * @description API keys that are not revoked.
                         * @example 1
                         */
                        api_keys: number;
                        /**
                         * @description OAuth apps.
                         * @example 1
                         */
                        apps: number;
                        /**
                         * @description Attributes.
                         * @example 1
                         */
                        attributes: number;
                        /**
                         * @description Audiences, also those for customers.
                         * @example 1
                         */
                        audiences: number;
                        /**
                         * @description Bytes in the embedded object store.
                         * @example 1
                         */
                        object_bytes: number;
                        /**
                         * @description Pending and running jobs.
                         * @example 1
                         */
                        open_jobs: number;
                        /**
                         * @description Console sessions opened with its API keys.
                         * @example 1
                         */
                        sessions: number;
                        /**
                         * @description Storage credentials that are not revoked.
                         * @example 1
                         */
                        storage_credentials: number;
                        /**
                         * @description User tokens that are valid.
                         * @example 1
                         */
                        user_tokens: number;
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
    listOauthApps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                         * @description The OAuth client id.
                         * @example app_…
                         */
                        client_id: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @example false */
                        is_disabled: boolean;
                        /**
                         * @description A confidential app runs on a server and can keep a secret. A public app runs in a browser or on a device and has no secret.
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
    createOauthApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description A confidential app runs on a server and can keep a secret. A public app runs in a browser or on a device and has no secret.
                     * @example confidential
                     * @enum {unknown}
                     */
                    kind: "confidential" | "public";
                    /**
                     * @description Name shown to users. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example Audience Loader
                     */
                    name: string;
                    /**
                     * @description Addresses the browser may be sent back to, compared exactly. Each must be https, or http on localhost, 127.0.0.1 or [::1], without a fragment or wildcard.
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
                         * @description The OAuth client id.
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
    removeOauthApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description One of the partner's apps.
                 * @example app_…
                 */
                client_id: string;
                /**
                 * @description The partner.
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
    changeOauthApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description One of the partner's apps.
                 * @example app_…
                 */
                client_id: string;
                /**
                 * @description The partner.
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
                     * @description Name shown to users. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.
                     * @example Audience Loader
                     */
                    name?: string;
                    /**
                     * @description Addresses the browser may be sent back to, compared exactly. Each must be https, or http on localhost, 127.0.0.1 or [::1], without a fragment or wildcard.
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
    rotateOauthAppSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description One of the partner's apps.
                 * @example app_…
                 */
                client_id: string;
                /**
                 * @description The partner.
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
    putObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key after the prefix, including any slashes.
                 * @example devices.csv
                 */
                key: string;
                /**
                 * @description The partner.
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
    getPartnerQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
    changePartnerQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description Devices in all attributes and audiences together. Beyond it, loads are refused or fail with `quota_exceeded`. Null for any number.
                     * @example 1000000
                     */
                    devices?: number | null;
                    /**
                     * @description Requests per month. Beyond it: 429 `rate_limited`, and `QuotaExceeded` in the object store. Null for any number.
                     * @example 1000000
                     */
                    requests?: number | null;
                    /**
                     * @description Rows loaded per month. Beyond it, loads are refused or fail with `quota_exceeded`. Null for any number.
                     * @example 1000000
                     */
                    rows?: number | null;
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
    getPartnerStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                        /** @description Bytes in the embedded object store, of objects and of parts of open multipart uploads. 0 if the shared bucket is in an external store. */
                        bytes: number;
                        /** @description Multipart uploads that are neither completed nor aborted. */
                        open_uploads: number;
                        /** @description The most bytes. Uploads beyond it are refused. Null for any number. */
                        quota: number | null;
                        /**
                         * @description A file is deleted this many days after it was last loaded. 0: the partner's files are kept for good. Null: `TRIBUTARY_UPLOAD_RETENTION_DAYS`.
                         * @example 30
                         */
                        upload_retention_days: number | null;
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
    updatePartnerStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description Bytes that the partner may keep in the embedded object store; null for any number. A quota that is too low for what is stored deletes nothing. An external store has its own quotas.
                     * @example 200000000000
                     */
                    quota?: number | null;
                    /**
                     * @description A file is deleted this many days after it was last loaded. 0: the partner's files are kept for good. Null: `TRIBUTARY_UPLOAD_RETENTION_DAYS`.
                     * @example 30
                     */
                    upload_retention_days?: number | null;
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
                        /** @description Bytes in the embedded object store, of objects and of parts of open multipart uploads. 0 if the shared bucket is in an external store. */
                        bytes: number;
                        /** @description Multipart uploads that are neither completed nor aborted. */
                        open_uploads: number;
                        /** @description The most bytes. Uploads beyond it are refused. Null for any number. */
                        quota: number | null;
                        /**
                         * @description A file is deleted this many days after it was last loaded. 0: the partner's files are kept for good. Null: `TRIBUTARY_UPLOAD_RETENTION_DAYS`.
                         * @example 30
                         */
                        upload_retention_days: number | null;
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
    listStorageCredentials: {
        parameters: {
            query?: {
                /** @description Return only credentials that follow the one with this accessKeyId. The `Link` header of a page has the right value. */
                after?: string;
                /**
                 * @description Maximum number of credentials. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example TRIB… */
                        accessKeyId: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Accurate to the minute. Null if never used. */
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
    createStorageCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
                 * @example 1
                 */
                partner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description accessKeyId created in the external store */
                    accessKeyId?: string;
                    /** @description secretAccessKey created in the external store */
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
    revokeStorageCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The accessKeyId of the credentials.
                 * @example TRIB…
                 */
                access_key_id: string;
                /**
                 * @description The partner.
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
    getPartnerTrouble: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                         * @description Audiences whose reports are not refreshed until the next day, because the partner has reached its daily limit of reports on changed audiences.
                         * @example 0
                         */
                        held_reports: number;
                        /** @description The quotas that the partner has. Requests and rows are those of this month. */
                        quotas: {
                            /** @example 1000000 */
                            quota: number;
                            /** @example 950000 */
                            used: number;
                            /**
                             * @example rows
                             * @enum {unknown}
                             */
                            what: "requests" | "rows" | "devices" | "storage_bytes";
                        }[];
                        /**
                         * @description The job that waits for its next attempt. All later jobs of the partner wait for it. Null if there is none.
                         * @example null
                         */
                        retry: {
                            /**
                             * @description Number of attempts.
                             * @example 3
                             */
                            attempts: number;
                            /**
                             * @description The job.
                             * @example 1
                             */
                            job_id: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            retry_at: string;
                            /**
                             * @description How often the storage of its files was unavailable.
                             * @example 2
                             */
                            storage_failures: number;
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
    listUserTokens: {
        parameters: {
            query?: {
                /**
                 * @description Return only user tokens that follow the one with this user_token_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of user tokens. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                        /**
                         * @description The customer the partner acts for.
                         * @example 1
                         */
                        customer_id: number;
                        /** @description Null if the token does not expire. */
                        expires_at: string | null;
                        /** @description Accurate to the minute. Null if never used. */
                        last_used_at: string | null;
                        revoked_at: string | null;
                        /**
                         * @description Identifies the token when you revoke it.
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
    createUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
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
                     * @description The customer the partner acts for.
                     * @example 1
                     */
                    customer_id: number;
                    /**
                     * @description Lifetime in seconds, at most ten years of 365 days. If omitted, the token is valid until it is revoked.
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
                        /** @description Null if the token does not expire. */
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
    revokeUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The partner.
                 * @example 1
                 */
                partner_id: string;
                /**
                 * @description One of the partner's user tokens.
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
    putDropArchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the ZIP file.
                 * @example 20260312_4821_DROP.zip
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        answered_at: string | null;
                        archive_bytes: number | null;
                        /** @example 20260312_4821_DROP.zip */
                        archive_name: string;
                        /** @description Of the ZIP file as it came. */
                        archive_sha256: string | null;
                        /**
                         * @description The cycle.
                         * @example 1
                         */
                        cycle_id: number;
                        deleted_at: string | null;
                        downloaded_at: string | null;
                        ended_at: string | null;
                        /** @description Rows of the MAID list with an id and a hash. */
                        items: number;
                        /**
                         * @description Whether the archive came from DROP's API or from the operator.
                         * @enum {unknown}
                         */
                        kind: "api" | "manual";
                        /** @description Digests whose suppression DROP no longer asks for, because of these rows. */
                        lifted: number;
                        lifted_at: string | null;
                        /** @description Rows of the MAID list without a valid id and hash. They are not answered. */
                        malformed_rows: number;
                        matched_at: string | null;
                        /** @description What keeps the cycle from going on. */
                        problem: string | null;
                        removed_at: string | null;
                        /** @description Rows of the Removed file, of all lists. */
                        removed_rows: number;
                        /** @description Rows whose id came before. They are answered once. */
                        repeated_rows: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        started_at: string;
                        /**
                         * @description The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.
                         * @enum {unknown}
                         */
                        state: "downloading" | "downloaded" | "suppressed" | "matched" | "removed" | "deleted" | "answered" | "lifted" | "accepted" | "refused";
                        suppressed_at: string | null;
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
    listDropCycles: {
        parameters: {
            query?: {
                /**
                 * @description Return only cycles that follow the one with this cycle_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of cycles. Defaults to 100.
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
                        answered_at: string | null;
                        archive_bytes: number | null;
                        /** @example 20260312_4821_DROP.zip */
                        archive_name: string;
                        /** @description Of the ZIP file as it came. */
                        archive_sha256: string | null;
                        /**
                         * @description The cycle.
                         * @example 1
                         */
                        cycle_id: number;
                        deleted_at: string | null;
                        downloaded_at: string | null;
                        ended_at: string | null;
                        /** @description Rows of the MAID list with an id and a hash. */
                        items: number;
                        /**
                         * @description Whether the archive came from DROP's API or from the operator.
                         * @enum {unknown}
                         */
                        kind: "api" | "manual";
                        /** @description Digests whose suppression DROP no longer asks for, because of these rows. */
                        lifted: number;
                        lifted_at: string | null;
                        /** @description Rows of the MAID list without a valid id and hash. They are not answered. */
                        malformed_rows: number;
                        matched_at: string | null;
                        /** @description What keeps the cycle from going on. */
                        problem: string | null;
                        removed_at: string | null;
                        /** @description Rows of the Removed file, of all lists. */
                        removed_rows: number;
                        /** @description Rows whose id came before. They are answered once. */
                        repeated_rows: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        started_at: string;
                        /**
                         * @description The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.
                         * @enum {unknown}
                         */
                        state: "downloading" | "downloaded" | "suppressed" | "matched" | "removed" | "deleted" | "answered" | "lifted" | "accepted" | "refused";
                        suppressed_at: string | null;
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
    getDropCycle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The cycle.
                 * @example 1
                 */
                cycle_id: string;
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
                        answered_at: string | null;
                        archive_bytes: number | null;
                        /** @example 20260312_4821_DROP.zip */
                        archive_name: string;
                        /** @description Of the ZIP file as it came. */
                        archive_sha256: string | null;
                        /** @description Calls of DROP's API, oldest first. */
                        calls: {
                            /** @description Calls in a row with this outcome. */
                            calls: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            first_at: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            last_at: string;
                            message: string;
                            /** @enum {unknown} */
                            operation: "download" | "upload" | "amend";
                            /** @description Null if there was no answer. */
                            status: number | null;
                        }[];
                        /**
                         * @description The cycle.
                         * @example 1
                         */
                        cycle_id: number;
                        /** @description Items reported with status 3, in the response and in amendments. */
                        deleted: number;
                        deleted_at: string | null;
                        downloaded_at: string | null;
                        ended_at: string | null;
                        /** @description What DROP gets, and what it answered. */
                        files: {
                            answer: string | null;
                            answered_at: string | null;
                            bytes: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description Rows with status 3. */
                            deleted: number;
                            /** @enum {unknown} */
                            kind: "response" | "amendment";
                            /** @example 20260312_4821_MAID.csv */
                            name: string;
                            /** @description Rows with status 5. */
                            not_found: number;
                            /** @description When it was first sent. */
                            sent_at: string | null;
                            /**
                             * @description In hexadecimal.
                             * @example 9f86d081884c7d65…
                             */
                            sha256: string;
                            /**
                             * @description `held`: an amendment whose devices are not gone yet.
                             * @enum {unknown}
                             */
                            state: "held" | "ready" | "accepted" | "rejected";
                            /** @description The HTTP status of DROP's answer. */
                            status: number | null;
                        }[];
                        /** @description Rows of the MAID list with an id and a hash. */
                        items: number;
                        /**
                         * @description Whether the archive came from DROP's API or from the operator.
                         * @enum {unknown}
                         */
                        kind: "api" | "manual";
                        /** @description Digests whose suppression DROP no longer asks for, because of these rows. */
                        lifted: number;
                        lifted_at: string | null;
                        /** @description What the archive holds. */
                        lists: {
                            bytes: number;
                            /** @example 20260312_4821_MAID.csv */
                            file: string;
                            /** @description True for lists other than MAID. This service stores nothing that they name. */
                            is_refused: boolean;
                            /** @example MAID */
                            list: string | null;
                            malformed_rows: number;
                            rows: number;
                            /**
                             * @description In hexadecimal.
                             * @example 9f86d081884c7d65…
                             */
                            sha256: string;
                        }[];
                        /** @description Rows of the MAID list without a valid id and hash. They are not answered. */
                        malformed_rows: number;
                        matched_at: string | null;
                        /** @description Items reported with status 5 and not amended. */
                        not_found: number;
                        /** @description What keeps the cycle from going on. */
                        problem: string | null;
                        removed_at: string | null;
                        /** @description Rows of the Removed file, of all lists. */
                        removed_rows: number;
                        /** @description Rows whose id came before. They are answered once. */
                        repeated_rows: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        started_at: string;
                        /**
                         * @description The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.
                         * @enum {unknown}
                         */
                        state: "downloading" | "downloaded" | "suppressed" | "matched" | "removed" | "deleted" | "answered" | "lifted" | "accepted" | "refused";
                        suppressed_at: string | null;
                        /** @description The version of the suppressions that holds all digests of the list. */
                        suppression_version: number | null;
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
    closeDropCycle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The cycle.
                 * @example 1
                 */
                cycle_id: string;
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
                        answered_at: string | null;
                        archive_bytes: number | null;
                        /** @example 20260312_4821_DROP.zip */
                        archive_name: string;
                        /** @description Of the ZIP file as it came. */
                        archive_sha256: string | null;
                        /** @description Calls of DROP's API, oldest first. */
                        calls: {
                            /** @description Calls in a row with this outcome. */
                            calls: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            first_at: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            last_at: string;
                            message: string;
                            /** @enum {unknown} */
                            operation: "download" | "upload" | "amend";
                            /** @description Null if there was no answer. */
                            status: number | null;
                        }[];
                        /**
                         * @description The cycle.
                         * @example 1
                         */
                        cycle_id: number;
                        /** @description Items reported with status 3, in the response and in amendments. */
                        deleted: number;
                        deleted_at: string | null;
                        downloaded_at: string | null;
                        ended_at: string | null;
                        /** @description What DROP gets, and what it answered. */
                        files: {
                            answer: string | null;
                            answered_at: string | null;
                            bytes: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description Rows with status 3. */
                            deleted: number;
                            /** @enum {unknown} */
                            kind: "response" | "amendment";
                            /** @example 20260312_4821_MAID.csv */
                            name: string;
                            /** @description Rows with status 5. */
                            not_found: number;
                            /** @description When it was first sent. */
                            sent_at: string | null;
                            /**
                             * @description In hexadecimal.
                             * @example 9f86d081884c7d65…
                             */
                            sha256: string;
                            /**
                             * @description `held`: an amendment whose devices are not gone yet.
                             * @enum {unknown}
                             */
                            state: "held" | "ready" | "accepted" | "rejected";
                            /** @description The HTTP status of DROP's answer. */
                            status: number | null;
                        }[];
                        /** @description Rows of the MAID list with an id and a hash. */
                        items: number;
                        /**
                         * @description Whether the archive came from DROP's API or from the operator.
                         * @enum {unknown}
                         */
                        kind: "api" | "manual";
                        /** @description Digests whose suppression DROP no longer asks for, because of these rows. */
                        lifted: number;
                        lifted_at: string | null;
                        /** @description What the archive holds. */
                        lists: {
                            bytes: number;
                            /** @example 20260312_4821_MAID.csv */
                            file: string;
                            /** @description True for lists other than MAID. This service stores nothing that they name. */
                            is_refused: boolean;
                            /** @example MAID */
                            list: string | null;
                            malformed_rows: number;
                            rows: number;
                            /**
                             * @description In hexadecimal.
                             * @example 9f86d081884c7d65…
                             */
                            sha256: string;
                        }[];
                        /** @description Rows of the MAID list without a valid id and hash. They are not answered. */
                        malformed_rows: number;
                        matched_at: string | null;
                        /** @description Items reported with status 5 and not amended. */
                        not_found: number;
                        /** @description What keeps the cycle from going on. */
                        problem: string | null;
                        removed_at: string | null;
                        /** @description Rows of the Removed file, of all lists. */
                        removed_rows: number;
                        /** @description Rows whose id came before. They are answered once. */
                        repeated_rows: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        started_at: string;
                        /**
                         * @description The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.
                         * @enum {unknown}
                         */
                        state: "downloading" | "downloaded" | "suppressed" | "matched" | "removed" | "deleted" | "answered" | "lifted" | "accepted" | "refused";
                        suppressed_at: string | null;
                        /** @description The version of the suppressions that holds all digests of the list. */
                        suppression_version: number | null;
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
    getDropFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The cycle.
                 * @example 1
                 */
                cycle_id: string;
                /** @example 20260312_4821_MAID.csv */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
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
    getDropStatus: {
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
                        /** @description When DROP last delivered what it had. Null if it never did. */
                        accessed_at: string | null;
                        /** @description The latest calls of DROP's API, newest first. */
                        calls: {
                            /** @description Calls in a row with this outcome. */
                            calls: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            first_at: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            last_at: string;
                            message: string;
                            /** @enum {unknown} */
                            operation: "download" | "upload" | "amend";
                            /** @description Null if there was no answer. */
                            status: number | null;
                        }[];
                        /** @description Whether the workers have an API key. If not, nothing calls DROP. */
                        is_automatic: boolean;
                        /** @description The operator asked for a session, which is not over. */
                        is_requested: boolean;
                        /** @description DROP is not called before this time, except on request. */
                        next_call_at: string | null;
                        /** @description When the next download is due. Null if nothing calls DROP. */
                        next_session_at: string | null;
                        /** @description Amendments of manual cycles, to be uploaded in the portal. */
                        open_amendments: {
                            /**
                             * @description The cycle that it amends.
                             * @example 1
                             */
                            cycle_id: number;
                            name: string;
                        }[];
                        /** @description Cycles that are not complete. */
                        open_cycles: {
                            answered_at: string | null;
                            archive_bytes: number | null;
                            /** @example 20260312_4821_DROP.zip */
                            archive_name: string;
                            /** @description Of the ZIP file as it came. */
                            archive_sha256: string | null;
                            /**
                             * @description The cycle.
                             * @example 1
                             */
                            cycle_id: number;
                            deleted_at: string | null;
                            downloaded_at: string | null;
                            ended_at: string | null;
                            /** @description Rows of the MAID list with an id and a hash. */
                            items: number;
                            /**
                             * @description Whether the archive came from DROP's API or from the operator.
                             * @enum {unknown}
                             */
                            kind: "api" | "manual";
                            /** @description Digests whose suppression DROP no longer asks for, because of these rows. */
                            lifted: number;
                            lifted_at: string | null;
                            /** @description Rows of the MAID list without a valid id and hash. They are not answered. */
                            malformed_rows: number;
                            matched_at: string | null;
                            /** @description What keeps the cycle from going on. */
                            problem: string | null;
                            removed_at: string | null;
                            /** @description Rows of the Removed file, of all lists. */
                            removed_rows: number;
                            /** @description Rows whose id came before. They are answered once. */
                            repeated_rows: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            started_at: string;
                            /**
                             * @description The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.
                             * @enum {unknown}
                             */
                            state: "downloading" | "downloaded" | "suppressed" | "matched" | "removed" | "deleted" | "answered" | "lifted" | "accepted" | "refused";
                            suppressed_at: string | null;
                        }[];
                        /** @description Why the last call failed. */
                        problem: string | null;
                        problem_since: string | null;
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
    syncDrop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description When DROP last delivered what it had. Null if it never did. */
                        accessed_at: string | null;
                        /** @description The latest calls of DROP's API, newest first. */
                        calls: {
                            /** @description Calls in a row with this outcome. */
                            calls: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            first_at: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            last_at: string;
                            message: string;
                            /** @enum {unknown} */
                            operation: "download" | "upload" | "amend";
                            /** @description Null if there was no answer. */
                            status: number | null;
                        }[];
                        /** @description Whether the workers have an API key. If not, nothing calls DROP. */
                        is_automatic: boolean;
                        /** @description The operator asked for a session, which is not over. */
                        is_requested: boolean;
                        /** @description DROP is not called before this time, except on request. */
                        next_call_at: string | null;
                        /** @description When the next download is due. Null if nothing calls DROP. */
                        next_session_at: string | null;
                        /** @description Amendments of manual cycles, to be uploaded in the portal. */
                        open_amendments: {
                            /**
                             * @description The cycle that it amends.
                             * @example 1
                             */
                            cycle_id: number;
                            name: string;
                        }[];
                        /** @description Cycles that are not complete. */
                        open_cycles: {
                            answered_at: string | null;
                            archive_bytes: number | null;
                            /** @example 20260312_4821_DROP.zip */
                            archive_name: string;
                            /** @description Of the ZIP file as it came. */
                            archive_sha256: string | null;
                            /**
                             * @description The cycle.
                             * @example 1
                             */
                            cycle_id: number;
                            deleted_at: string | null;
                            downloaded_at: string | null;
                            ended_at: string | null;
                            /** @description Rows of the MAID list with an id and a hash. */
                            items: number;
                            /**
                             * @description Whether the archive came from DROP's API or from the operator.
                             * @enum {unknown}
                             */
                            kind: "api" | "manual";
                            /** @description Digests whose suppression DROP no longer asks for, because of these rows. */
                            lifted: number;
                            lifted_at: string | null;
                            /** @description Rows of the MAID list without a valid id and hash. They are not answered. */
                            malformed_rows: number;
                            matched_at: string | null;
                            /** @description What keeps the cycle from going on. */
                            problem: string | null;
                            removed_at: string | null;
                            /** @description Rows of the Removed file, of all lists. */
                            removed_rows: number;
                            /** @description Rows whose id came before. They are answered once. */
                            repeated_rows: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            started_at: string;
                            /**
                             * @description The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.
                             * @enum {unknown}
                             */
                            state: "downloading" | "downloaded" | "suppressed" | "matched" | "removed" | "deleted" | "answered" | "lifted" | "accepted" | "refused";
                            suppressed_at: string | null;
                        }[];
                        /** @description Why the last call failed. */
                        problem: string | null;
                        problem_since: string | null;
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
    listPrivacyRequests: {
        parameters: {
            query?: {
                /**
                 * @description Return only requests that follow the one with this request_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description `delete` removes the devices from everything stored and keeps them out. `opt_out` does the same, because everything stored is shared with customers. `access` tells what holds them.
                 * @example delete
                 */
                kind?: "delete" | "opt_out" | "access";
                /**
                 * @description Maximum number of requests. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Your own name for the request, such as a case number. Do not use identifiers or personal data: it is kept for good, also in the audit log.
                 * @example case 2026-117
                 */
                reference?: string;
                /**
                 * @description `received`; `suppressed`: no load stores the devices any more; `removed`: they are gone from every answer; `done`: their bytes are gone from disk, or the access request is answered.
                 * @example suppressed
                 */
                state?: "received" | "suppressed" | "removed" | "done";
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
                        /** @description What was stored when the request was carried out. Null until then. */
                        counts: {
                            /**
                             * @description Attributes that held any of them.
                             * @example 1
                             */
                            attributes: number;
                            /**
                             * @description Audiences that held any of them.
                             * @example 1
                             */
                            audiences: number;
                            /**
                             * @description Identifiers whose devices were stored.
                             * @example 1
                             */
                            found: number;
                            /** @description False if damaged files could not be read. Then there may be more. */
                            is_complete: boolean;
                            /**
                             * @description Pairs of a device and an attribute or audience.
                             * @example 1
                             */
                            memberships: number;
                            /**
                             * @description Partners whose attributes or audiences these are.
                             * @example 1
                             */
                            partners: number;
                        } | null;
                        /** @description Since then, their bytes are not on disk, and the request keeps digests instead of identifiers. */
                        done_at: string | null;
                        /**
                         * @description Distinct identifiers in the request.
                         * @example 1
                         */
                        identifiers: number;
                        /**
                         * @description `delete` removes the devices from everything stored and keeps them out. `opt_out` does the same, because everything stored is shared with customers. `access` tells what holds them.
                         * @example delete
                         * @enum {unknown}
                         */
                        kind: "delete" | "opt_out" | "access";
                        /**
                         * @description Partners whose uploaded files are kept for good. See `TRIBUTARY_UPLOAD_RETENTION_DAYS`.
                         * @example 1
                         */
                        raw_files_kept_for_good: number;
                        /**
                         * @description Until then, files that were uploaded and last loaded before `suppressed_at` may hold the devices. Null for an access request, before the devices are suppressed, and if a partner keeps its files for good.
                         * @example null
                         */
                        raw_files_until: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        received_at: string;
                        /**
                         * @description As sent.
                         * @example case 2026-117
                         */
                        reference: string;
                        /** @description Since then, the devices are in no answer, report or download. */
                        removed_at: string | null;
                        /**
                         * @description The request.
                         * @example 1
                         */
                        request_id: number;
                        /**
                         * @description `received`; `suppressed`: no load stores the devices any more; `removed`: they are gone from every answer; `done`: their bytes are gone from disk, or the access request is answered.
                         * @example suppressed
                         * @enum {unknown}
                         */
                        state: "received" | "suppressed" | "removed" | "done";
                        /** @description Since then, no load stores the devices. Null for an access request. */
                        suppressed_at: string | null;
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
    createPrivacyRequest: {
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
                     * @description UUIDs in any usual spelling, or the SHA-256 of their 32 lower-case digits, in Base64 or hexadecimal.
                     * @example [
                     *       "a3f1c2d4-5678-90ab-cdef-1234567890ab"
                     *     ]
                     */
                    identifiers: string[];
                    /**
                     * @description `delete` removes the devices from everything stored and keeps them out. `opt_out` does the same, because everything stored is shared with customers. `access` tells what holds them.
                     * @example delete
                     * @enum {unknown}
                     */
                    kind: "delete" | "opt_out" | "access";
                    /**
                     * @description Your own name for the request, such as a case number. Do not use identifiers or personal data: it is kept for good, also in the audit log.
                     * @example case 2026-117
                     */
                    reference?: string;
                };
            };
        };
        responses: {
            /** @description The request is stored. */
            202: {
                headers: {
                    /** @description The path of the request. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was stored when the request was carried out. Null until then. */
                        counts: {
                            /**
                             * @description Attributes that held any of them.
                             * @example 1
                             */
                            attributes: number;
                            /**
                             * @description Audiences that held any of them.
                             * @example 1
                             */
                            audiences: number;
                            /**
                             * @description Identifiers whose devices were stored.
                             * @example 1
                             */
                            found: number;
                            /** @description False if damaged files could not be read. Then there may be more. */
                            is_complete: boolean;
                            /**
                             * @description Pairs of a device and an attribute or audience.
                             * @example 1
                             */
                            memberships: number;
                            /**
                             * @description Partners whose attributes or audiences these are.
                             * @example 1
                             */
                            partners: number;
                        } | null;
                        /** @description Since then, their bytes are not on disk, and the request keeps digests instead of identifiers. */
                        done_at: string | null;
                        /**
                         * @description Distinct identifiers in the request.
                         * @example 1
                         */
                        identifiers: number;
                        /**
                         * @description `delete` removes the devices from everything stored and keeps them out. `opt_out` does the same, because everything stored is shared with customers. `access` tells what holds them.
                         * @example delete
                         * @enum {unknown}
                         */
                        kind: "delete" | "opt_out" | "access";
                        /**
                         * @description Partners whose uploaded files are kept for good. See `TRIBUTARY_UPLOAD_RETENTION_DAYS`.
                         * @example 1
                         */
                        raw_files_kept_for_good: number;
                        /**
                         * @description Until then, files that were uploaded and last loaded before `suppressed_at` may hold the devices. Null for an access request, before the devices are suppressed, and if a partner keeps its files for good.
                         * @example null
                         */
                        raw_files_until: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        received_at: string;
                        /**
                         * @description As sent.
                         * @example case 2026-117
                         */
                        reference: string;
                        /** @description Since then, the devices are in no answer, report or download. */
                        removed_at: string | null;
                        /**
                         * @description The request.
                         * @example 1
                         */
                        request_id: number;
                        /**
                         * @description `received`; `suppressed`: no load stores the devices any more; `removed`: they are gone from every answer; `done`: their bytes are gone from disk, or the access request is answered.
                         * @example suppressed
                         * @enum {unknown}
                         */
                        state: "received" | "suppressed" | "removed" | "done";
                        /** @description Since then, no load stores the devices. Null for an access request. */
                        suppressed_at: string | null;
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
    getPrivacyRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The request.
                 * @example 1
                 */
                request_id: string;
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
                        /** @description What was stored when the request was carried out. Null until then. */
                        counts: {
                            /**
                             * @description Attributes that held any of them.
                             * @example 1
                             */
                            attributes: number;
                            /**
                             * @description Audiences that held any of them.
                             * @example 1
                             */
                            audiences: number;
                            /**
                             * @description Identifiers whose devices were stored.
                             * @example 1
                             */
                            found: number;
                            /** @description False if damaged files could not be read. Then there may be more. */
                            is_complete: boolean;
                            /**
                             * @description Pairs of a device and an attribute or audience.
                             * @example 1
                             */
                            memberships: number;
                            /**
                             * @description Partners whose attributes or audiences these are.
                             * @example 1
                             */
                            partners: number;
                        } | null;
                        /** @description Since then, their bytes are not on disk, and the request keeps digests instead of identifiers. */
                        done_at: string | null;
                        /**
                         * @description Distinct identifiers in the request.
                         * @example 1
                         */
                        identifiers: number;
                        /**
                         * @description `delete` removes the devices from everything stored and keeps them out. `opt_out` does the same, because everything stored is shared with customers. `access` tells what holds them.
                         * @example delete
                         * @enum {unknown}
                         */
                        kind: "delete" | "opt_out" | "access";
                        /**
                         * @description Partners whose uploaded files are kept for good. See `TRIBUTARY_UPLOAD_RETENTION_DAYS`.
                         * @example 1
                         */
                        raw_files_kept_for_good: number;
                        /**
                         * @description Until then, files that were uploaded and last loaded before `suppressed_at` may hold the devices. Null for an access request, before the devices are suppressed, and if a partner keeps its files for good.
                         * @example null
                         */
                        raw_files_until: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        received_at: string;
                        /**
                         * @description As sent.
                         * @example case 2026-117
                         */
                        reference: string;
                        /** @description Since then, the devices are in no answer, report or download. */
                        removed_at: string | null;
                        /**
                         * @description The request.
                         * @example 1
                         */
                        request_id: number;
                        /**
                         * @description `received`; `suppressed`: no load stores the devices any more; `removed`: they are gone from every answer; `done`: their bytes are gone from disk, or the access request is answered.
                         * @example suppressed
                         * @enum {unknown}
                         */
                        state: "received" | "suppressed" | "removed" | "done";
                        /** @description Since then, no load stores the devices. Null for an access request. */
                        suppressed_at: string | null;
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
    listPrivacyFindings: {
        parameters: {
            query?: {
                /**
                 * @description Return only findings that follow the one with this finding_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of findings. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The request.
                 * @example 1
                 */
                request_id: string;
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
                        /** @description The attribute that holds the device. */
                        attribute_id: number | null;
                        /** @description The audience that holds the device. */
                        audience_id: number | null;
                        /**
                         * @description SHA-256 of the 32 lower-case digits of the identifier, in Base64.
                         * @example 250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=
                         */
                        digest: string;
                        /**
                         * @description The finding.
                         * @example 1
                         */
                        finding_id: number;
                        /** @description When the device was loaded into it. Null if that is unknown. */
                        held_since: string | null;
                        /** @description False if the device was there at `held_since`, and may have come earlier. */
                        is_exact: boolean;
                        /**
                         * @description Its name at that time.
                         * @example Interests > Tea
                         */
                        name: string;
                        /**
                         * @description The partner who owns it.
                         * @example 1
                         */
                        partner_id: number;
                        /** @example acme */
                        partner_name: string | null;
                        /**
                         * @description The place of the identifier in the request, from 1. Repeated ones do not count.
                         * @example 1
                         */
                        position: number;
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
    listPrivacyIdentifiers: {
        parameters: {
            query?: {
                /**
                 * @description Return only identifiers that follow the one with this position. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of identifiers. Without it, all are returned.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The request.
                 * @example 1
                 */
                request_id: string;
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
                         * @description SHA-256 of the 32 lower-case digits of the identifier, in Base64.
                         * @example 250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=
                         */
                        digest: string;
                        /** @description Whether its device was stored. Null until the request is carried out. */
                        found: boolean | null;
                        /**
                         * @description The place of the identifier in the request, from 1. Repeated ones do not count.
                         * @example 1
                         */
                        position: number;
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
    resealSecrets: {
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
                        /** @description How many secrets were encrypted with an older key before. */
                        resealed: number;
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
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description Return only sessions that follow the one with this session_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of sessions. Without it, all are returned.
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
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description Whether this request belongs to the session.
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
                         * @description Accurate to the minute.
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
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session.
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
                        backup: {
                            /** @description Age of the newest backup. Null if there is none. */
                            age_seconds: number | null;
                            last_attempt: {
                                action: "create" | "verify" | "remove";
                                /**
                                 * @description The entry.
                                 * @example 1
                                 */
                                backup_id: number;
                                bytes: number | null;
                                /** @description Bytes copied or read so far. */
                                bytes_done: number;
                                /** @description All bytes to copy or read. 0 until known. */
                                bytes_total: number;
                                ended_at: string | null;
                                files: number | null;
                                new_bytes: number | null;
                                /** @description Why it failed, or what a complete set lacks. */
                                problem: string | null;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601 in UTC with milliseconds.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                requested_at: string;
                                /**
                                 * @description The set. Null for all sets, or before the set has a name.
                                 * @example 20260131T120000000Z-4f2a90
                                 */
                                set: string | null;
                                started_at: string | null;
                                state: "pending" | "running" | "done" | "failed";
                                /**
                                 * @description The folder or bucket.
                                 * @example s3://backups/tributary
                                 */
                                target: string;
                            } | null;
                            last_success: {
                                action: "create" | "verify" | "remove";
                                /**
                                 * @description The entry.
                                 * @example 1
                                 */
                                backup_id: number;
                                bytes: number | null;
                                /** @description Bytes copied or read so far. */
                                bytes_done: number;
                                /** @description All bytes to copy or read. 0 until known. */
                                bytes_total: number;
                                ended_at: string | null;
                                files: number | null;
                                new_bytes: number | null;
                                /** @description Why it failed, or what a complete set lacks. */
                                problem: string | null;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601 in UTC with milliseconds.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                requested_at: string;
                                /**
                                 * @description The set. Null for all sets, or before the set has a name.
                                 * @example 20260131T120000000Z-4f2a90
                                 */
                                set: string | null;
                                started_at: string | null;
                                state: "pending" | "running" | "done" | "failed";
                                /**
                                 * @description The folder or bucket.
                                 * @example s3://backups/tributary
                                 */
                                target: string;
                            } | null;
                            /** @description Where the service backs itself up. Null if no target is set. */
                            target: string | null;
                        };
                        /** @description The partners whose jobs failed in the last 24 hours, the latest failure first. */
                        failures: {
                            failed_jobs: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            last_failed_at: string;
                            name: string;
                            /**
                             * @description The partner.
                             * @example 1
                             */
                            partner_id: number;
                        }[];
                        /** @description The lanes that have pending or running jobs. */
                        queue: {
                            name: string;
                            oldest_age_seconds: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            oldest_submitted_at: string;
                            /**
                             * @description The partner whose lane it is.
                             * @example 1
                             */
                            partner_id: number;
                            pending: number;
                            running: number;
                        }[];
                        /** @description Removed partners and customers whose data is being deleted, the oldest first. */
                        removals: {
                            /**
                             * Format: date-time
                             * @description The latest time at which the bytes of all devices leave the disk: `TRIBUTARY_DELETION_HOURS` after the removal.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            delete_by: string;
                            /** @example 1 */
                            id: number;
                            /**
                             * @example partner
                             * @enum {unknown}
                             */
                            kind: "partner" | "customer";
                            /** @example acme */
                            name: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            removed_at: string;
                        }[];
                        schema: {
                            /** @description The newest version that this API process supports. If it is lower, restart the process with the newer Tributary. Outdated workers take no jobs. */
                            supported: number;
                            /** @description The version of the database's schema. */
                            version: number;
                        };
                        storage: {
                            object_bytes: number;
                            /** @description Objects in the shared bucket. */
                            objects: number;
                            /** @description The 20 partners with the most bytes in the embedded object store, of objects and of parts of open uploads. */
                            partners: {
                                bytes: number;
                                name: string;
                                /**
                                 * @description The partner.
                                 * @example 1
                                 */
                                partner_id: number;
                                quota: number | null;
                            }[];
                            run_bytes: number;
                            /** @description Runs in the warehouse. */
                            runs: number;
                        };
                        universe: {
                            /** @description Added or dropped attribute runs not yet folded into the universe. */
                            backlog: number;
                            /** @description Audiences whose matched devices or composition belong to an earlier version. The service will count them again. */
                            outdated_audiences: number;
                            refresh_seconds: number | null;
                            /** @description Counts the changes to the universe and to the attributes in it. */
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
    listTrends: {
        parameters: {
            query?: {
                /**
                 * @description How many days. Defaults to 30.
                 * @example 30
                 */
                days?: number;
                /**
                 * @description Only jobs of this partner.
                 * @example 1
                 */
                partner_id?: number;
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
                        /**
                         * @description Jobs that were cancelled.
                         * @example 0
                         */
                        cancelled: number;
                        /**
                         * Format: date
                         * @description In UTC.
                         * @example 2026-01-31
                         */
                        day: string;
                        /**
                         * @description Jobs that succeeded.
                         * @example 120
                         */
                        done: number;
                        /**
                         * @description Jobs that failed.
                         * @example 2
                         */
                        failed: number;
                        /**
                         * @description The longest time that a job waited before its last attempt. Today, jobs that are still waiting count as well.
                         * @example 4.2
                         */
                        longest_wait_seconds: number;
                        /**
                         * @description Rows loaded.
                         * @example 1400000
                         */
                        rows: number;
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
    listUsage: {
        parameters: {
            query?: {
                /**
                 * @description Only this partner.
                 * @example 1
                 */
                partner_id?: number;
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
    getWarehouse: {
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
                        /** @description The latest copy. */
                        copy: {
                            compared_devices: number | null;
                            /** @description Random segments that were read from both places and found equal. */
                            compared_segments: number | null;
                            /**
                             * @description The copy.
                             * @example 1
                             */
                            copy_id: number;
                            devices_copied: number;
                            devices_total: number;
                            ended_at: string | null;
                            /** @description Why the copy does not continue. A worker retries every few seconds. */
                            problem: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            requested_at: string;
                            runs_copied: number;
                            /** @description Changes while loads run. */
                            runs_total: number;
                            /**
                             * @description `done`: all processes use the new place. `forgotten`: the old place is deleted. `aborted`: the new place is deleted. With `force`, neither is deleted.
                             * @enum {unknown}
                             */
                            state: "copying" | "done" | "aborting" | "aborted" | "forgetting" | "forgotten";
                            /** @description The new place. */
                            to: string;
                        } | null;
                        /** @description Where the device sets were before the last move, until that place is deleted. */
                        old_place: string | null;
                        /**
                         * @description Where the device sets are. Null before the first start of a worker.
                         * @example ClickHouse at ch1.example.com:8123, cluster main, database tributary
                         */
                        place: string | null;
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
    moveWarehouse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description `copy`: copy the device sets to another place and use them there. `abort`: stop the copy and delete what it has written. `forget`: delete the old place. */
                    action: "copy" | "abort" | "forget";
                    /** @description For `abort` and `forget`: delete nothing. Use it if the place no longer exists, or if you delete it yourself. */
                    force?: boolean;
                    /**
                     * @description For `copy`: the new place, as a value of `TRIBUTARY_WAREHOUSE`, or `files` for run files in the data dir.
                     * @example clickhouse://tributary:secret@ch1.example.com:8123/tributary?cluster=main
                     */
                    to?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The latest copy. */
                        copy: {
                            compared_devices: number | null;
                            /** @description Random segments that were read from both places and found equal. */
                            compared_segments: number | null;
                            /**
                             * @description The copy.
                             * @example 1
                             */
                            copy_id: number;
                            devices_copied: number;
                            devices_total: number;
                            ended_at: string | null;
                            /** @description Why the copy does not continue. A worker retries every few seconds. */
                            problem: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            requested_at: string;
                            runs_copied: number;
                            /** @description Changes while loads run. */
                            runs_total: number;
                            /**
                             * @description `done`: all processes use the new place. `forgotten`: the old place is deleted. `aborted`: the new place is deleted. With `force`, neither is deleted.
                             * @enum {unknown}
                             */
                            state: "copying" | "done" | "aborting" | "aborted" | "forgetting" | "forgotten";
                            /** @description The new place. */
                            to: string;
                        } | null;
                        /** @description Where the device sets were before the last move, until that place is deleted. */
                        old_place: string | null;
                        /**
                         * @description Where the device sets are. Null before the first start of a worker.
                         * @example ClickHouse at ch1.example.com:8123, cluster main, database tributary
                         */
                        place: string | null;
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
    listAllWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description Return only webhooks that follow the one with this webhook_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of webhooks. Defaults to 1000.
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
                         * @description The partner that owns the webhook.
                         * @example 1
                         */
                        partner_id: number;
                        /** @example acme */
                        partner_name: string;
                        /**
                         * @description Events that are not delivered yet.
                         * @example 0
                         */
                        pending: number;
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
                        /**
                         * @description Without its query, which may hold a secret.
                         * @example https://acme.example/tributary
                         */
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
    disableWebhook: {
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
        requestBody: {
            content: {
                "application/json": {
                    /** @example true */
                    disabled: boolean;
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
    listAllWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Return only deliveries that follow the one with this delivery_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of deliveries. Defaults to 1000.
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
            /** @description Default Response */
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
                        /** @description The version of this process. */
                        version: string;
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
                        /** @description `ok` or `does not answer` for each of database, storage and warehouse. `disk` is `ok` or `below the reserve`: then uploads and loads are refused, but the service is ready for everything else. The log states the reason. */
                        checks: {
                            [key: string]: string;
                        };
                        /** @enum {unknown} */
                        status: "ready" | "not_ready";
                    };
                };
            };
            /** @description At least one check failed. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description `ok` or `does not answer` for each of database, storage and warehouse. `disk` is `ok` or `below the reserve`: then uploads and loads are refused, but the service is ready for everything else. The log states the reason. */
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
    getOwnAccess: {
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
                        api_keys: {
                            /**
                             * @description The key.
                             * @example 1
                             */
                            api_key_id: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /**
                             * @description Whether this request, or its session, uses the key.
                             * @example true
                             */
                            is_current: boolean;
                            /** @example nightly upload */
                            label: string;
                            /** @description Accurate to the minute. Null if never used. */
                            last_used_at: string | null;
                            /**
                             * @description How the key begins. The rest is secret.
                             * @example trib_key_0123456789abcdef
                             */
                            prefix: string;
                        }[];
                        apps: {
                            /** @example app_… */
                            client_id: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @example false */
                            is_disabled: boolean;
                            /** @example Audience Loader */
                            name: string;
                        }[];
                        storage_credentials: {
                            /** @example TRIB… */
                            accessKeyId: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description Accurate to the minute. Null if never used. */
                            last_used_at: string | null;
                        }[];
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
    listConnectedApps: {
        parameters: {
            query?: {
                /**
                 * @description Return only apps that follow the one with this grant_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /**
                 * @description Maximum number of apps. Defaults to 1000.
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
                         * @description When you last allowed the app.
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
                         * @description When access ends unless the app gets new tokens before then.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description The latest grant.
                         * @example 1
                         */
                        grant_id: number;
                        /**
                         * @description Grants in force: one for each time you allowed the app.
                         * @example 1
                         */
                        grants: number;
                        /** @description Accurate to the minute. Null if never used. */
                        last_used_at: string | null;
                        /**
                         * @description The partner that owns the app.
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
    disconnectApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The app.
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
    listConsoleAudiences: {
        parameters: {
            query?: {
                /**
                 * @description Return only audiences that follow the one with this `cursor`. An audience that changes moves to the start of the list.
                 * @example 1767225600000000-1
                 */
                after?: string;
                /** @description Maximum number of audiences. Defaults to 100. */
                limit?: number;
                /** @description Only audiences whose name contains this text, ignoring case. */
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
                         * @description Assigned by the service.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * @description When the audience was cleared. Null if it never was, or if files were appended since.
                         * @example null
                         */
                        cleared_at: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Its place in the list of audiences, for `after`.
                         * @example 1767225600000000-1
                         */
                        cursor: string;
                        /**
                         * @description The customer it belongs to. Null if it belongs to the partner alone.
                         * @example Corner shop
                         */
                        customer_name: string | null;
                        /**
                         * @description Identifies the composition report in the console: `/console/segments/<id>`.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description The job of its latest load since it was cleared. Null if there is none, or its log is no longer kept.
                         * @example 17
                         */
                        latest_load_id: number | null;
                        /**
                         * @description The unique devices that have an attribute of the marketplace. If reports are protected, the number of the last report, with its noise; 0 below the suppression threshold, and before the first report.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description The partner that loads it.
                         * @example Acme
                         */
                        partner_name: string;
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
    createConsoleAudience: {
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
                     * @description The customer.
                     * @example 1
                     */
                    customer_id: number;
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
    getAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The authorization: the last part of the address of the consent page.
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
                         * @description The customer the app would act for.
                         * @example Harbor Coffee
                         */
                        customer_name: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /** @example acme */
                        partner_name: string;
                        /**
                         * @description The host the browser is sent to afterwards.
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
    decideAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The authorization: the last part of the address of the consent page.
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
                         * @description Send the browser here. It is then redirected to the app.
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
    listConsoleCustomers: {
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
                         * @description The customer.
                         * @example 1
                         */
                        customer_id: number;
                        /** @example Corner shop */
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
    getImportRequest: {
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
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Null if it was left out.
                         * @example null
                         */
                        compressed: boolean | null;
                        /** @example true */
                        dry_run: boolean;
                        /** @example devices.csv */
                        file_path: string;
                        /**
                         * @example 1
                         * @enum {unknown}
                         */
                        key_type: 0 | 1;
                        /**
                         * @example merge
                         * @enum {unknown}
                         */
                        mode: "merge" | "replace";
                        /**
                         * @example 0
                         * @enum {unknown}
                         */
                        path_type: 0 | 1;
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
    listConsoleJobs: {
        parameters: {
            query?: {
                /**
                 * @description Return only jobs that follow the one with this job_id. The `Link` header of a page has the right value.
                 * @example 1
                 */
                after?: number;
                /** @description Only jobs of this kind. */
                kind?: "import" | "dry_run" | "deletion" | "erasure" | "audience";
                /**
                 * @description Maximum number of jobs. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /** @description Only jobs with this text in their path or audience, ignoring case, or with this id. */
                search?: string;
                /** @description Only jobs in this state. */
                state?: "pending" | "running" | "done" | "failed" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The jobs. */
            200: {
                headers: {
                    /** @description The path of the next page, with `rel="next"`. Absent on the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The audience that the job loads. Null for other jobs. */
                        audience: {
                            /**
                             * @description The audience.
                             * @example 1
                             */
                            audience_id: number;
                            /**
                             * @description Identifies its composition report in the console.
                             * @example 1
                             */
                            default_warehouse_segment_id: number;
                            /** @example Summer sale */
                            name: string;
                        } | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Also the import_log_id, unless the job loads an audience.
                         * @example 1
                         */
                        job_id: number;
                        /**
                         * @description Number of keys of a deletion. Null for other jobs.
                         * @example null
                         */
                        key_count: number | null;
                        /**
                         * @description The first keys of a deletion; the import log lists all. Null for other jobs.
                         * @example null
                         */
                        keys: string[] | null;
                        /**
                         * @description An erasure is the removal of devices whose owners asked the operator for it.
                         * @enum {unknown}
                         */
                        kind: "import" | "dry_run" | "deletion" | "erasure" | "audience";
                        /**
                         * @description The path of its files: as submitted, or with your prefix for an audience. Null for a deletion.
                         * @example devices.csv
                         */
                        path: string | null;
                        /**
                         * @description Why the job or one of its files failed, otherwise the first problem of its rows. Null if there is none.
                         * @example null
                         */
                        problem: {
                            code: string;
                            message: string;
                        } | null;
                        /**
                         * @description Number of problems, one per kind and file, in the first 1,000 files of an audience that have any.
                         * @example 0
                         */
                        problem_count: number;
                        progress: {
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
                        /** @description When its current or last attempt started. Null if it has not started. */
                        started_at: string | null;
                        /**
                         * @description Cancelled means that the audience was cleared before its load ended.
                         * @enum {unknown}
                         */
                        state: "pending" | "running" | "done" | "failed" | "cancelled";
                        /**
                         * @description As in the import log; 0 until the job ends. For an audience, the valid rows of the files that this job has loaded so far.
                         * @example 1200
                         */
                        total_rows: number;
                        /**
                         * @description As in the import log. Null for an audience, which has its own counts.
                         * @example 1000
                         */
                        unique_devices: number | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
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
    listConsoleObjects: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /**
                 * @description Maximum number of folders and files together. Defaults to 100.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Only paths that begin with this text, relative to your prefix. For example, a folder with its `/`. Defaults to all paths.
                 * @example 2026/
                 */
                prefix?: string;
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
                        files: {
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            modified_at: string;
                            /** @example 2026/devices.csv */
                            path: string;
                            /**
                             * @description In bytes.
                             * @example 1200
                             */
                            size: number;
                        }[];
                        /**
                         * @description Paths that end in `/`.
                         * @example [
                         *       "2026/may/"
                         *     ]
                         */
                        folders: string[];
                        /**
                         * @description Send it as `after` for the next page. Null on the last page.
                         * @example null
                         */
                        next: string | null;
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
    checkPasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example trib_link_… */
                    token: string;
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
                        /** @example ada@harbor.example */
                        email: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
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
    requestPasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example ada@harbor.example */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The link is sent if the user exists. */
            202: {
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
    usePasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example a long sentence is a good password */
                    new_password: string;
                    /** @example trib_link_… */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The password is set. */
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
                         * @description Assigned by the service.
                         * @example 1
                         */
                        audience_id: number;
                        /**
                         * @description When the audience was cleared. Null if it never was, or if files were appended since.
                         * @example null
                         */
                        cleared_at: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description Its place in the list of audiences, for `after`.
                         * @example 1767225600000000-1
                         */
                        cursor: string;
                        /**
                         * @description The customer it belongs to. Null if it belongs to the partner alone.
                         * @example Corner shop
                         */
                        customer_name: string | null;
                        /**
                         * @description Identifies the composition report in the console: `/console/segments/<id>`.
                         * @example 1
                         */
                        default_warehouse_segment_id: number;
                        /**
                         * @description The job of its latest load since it was cleared. Null if there is none, or its log is no longer kept.
                         * @example 17
                         */
                        latest_load_id: number | null;
                        /**
                         * @description The unique devices that have an attribute of the marketplace. If reports are protected, the number of the last report, with its noise; 0 below the suppression threshold, and before the first report.
                         * @example 800
                         */
                        matched_devices: number;
                        /** @example Summer sale */
                        name: string;
                        /**
                         * @description The partner that loads it.
                         * @example Acme
                         */
                        partner_name: string;
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
                         * @description The bucket a partner uploads to.
                         * @example null
                         */
                        bucket: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Send it as `x-csrf-token` with every request that uses the cookie and changes something. */
                        csrf_token: string;
                        /** @example Harbor Coffee */
                        customer_name: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
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
                         * @description The partner's prefix in the bucket.
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
                         * @description The bucket a partner uploads to.
                         * @example null
                         */
                        bucket: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /** @description Send it as `x-csrf-token` with every request that uses the cookie and changes something. */
                        csrf_token: string;
                        /** @example Harbor Coffee */
                        customer_name: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
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
                         * @description The partner's prefix in the bucket.
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
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                        /**
                         * @description Whether this request belongs to the session.
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
                         * @description Accurate to the minute.
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
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every other session has ended. */
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
    endOwnSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session.
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
    listAudiencesV1: {
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
    createAudienceV1: {
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
    getAudienceV1: {
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
    clearAudienceV1: {
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
    appendFilesV1: {
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
    getCompositionV1: {
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
    listAudienceErrorsV1: {
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
    listAudienceHistoryV1: {
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
    getAudienceProgressV1: {
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
    downloadAudienceRejectsV1: {
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
    listAudienceWatchesV1: {
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
    createAudienceWatchV1: {
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
    getAudienceWatchV1: {
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
    removeAudienceWatchV1: {
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
    changeAudienceWatchV1: {
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
    listAudienceWatchFilesV1: {
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
    pollAudienceWatchV1: {
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
