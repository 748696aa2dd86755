import { enterAudienceFiles } from '../../src/actions/enter-audience-files.ts';
import type { LoadedFile } from '../../src/records/audiences/audience-files.ts';
import type { AudienceLoad } from '../../src/records/audiences/audience-loads.ts';
import type { Claim } from '../../src/records/queue/jobs.ts';
import type { Answer, CallOptions, TestApp } from './app.ts';

export const versions = ['/v2', '/v1'] as const;
export const audiencesPath = '/v2/firstparty/audience';

/** A load of an audience that a test performs in place of a worker. */
interface LoadByHand {
  readonly claim: Claim;
  readonly load: AudienceLoad;
  /** Adds files, relative to the partner's prefix; `read` also starts with them. */
  enter(...paths: string[]): Promise<void>;
  read(...paths: string[]): Promise<void>;
  end(path: string, how?: Partial<LoadedFile>): Promise<void>;
  settle(state?: 'done' | 'failed'): Promise<void>;
}

export interface AudiencePartner {
  readonly partnerId: number;
  readonly prefix: string;
  readonly token: string;
  /** Calls the API with the partner's key. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Creates an audience, whose first load waits. */
  create(members?: Record<string, unknown>, options?: CallOptions): Promise<number>;
  /** A token to act for a new customer. */
  customerToken(): Promise<{ customerId: number; userToken: string }>;
  /** Claims its next load. */
  beginLoad(): Promise<LoadByHand>;
}

export async function audiencePartner(service: TestApp): Promise<AudiencePartner> {
  const { records } = service;
  const { partner, apiKey: token } = await service.partner();
  const { partnerId, prefix } = partner;

  function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return service.call(method, path, { token, ...options });
  }

  return {
    partnerId,
    prefix,
    token,
    call,

    async create(members = {}, options = {}) {
      const json = { name: 'Summer sale', file_path: 'audience.csv', ...members };
      const answer = await call('POST', audiencesPath, { json, ...options });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body.audience_id;
    },

    async customerToken() {
      const { customerId } = await records.customers.create('a customer');
      const { userToken } = await records.userTokens.create(partnerId, customerId, null);
      return { customerId, userToken };
    },

    async beginLoad() {
      const claim = await claimOf(service, partnerId);
      const load = await records.audienceLoads.request(claim.jobId);
      const keysOf = (paths: readonly string[]) => paths.map((path) => prefix + path);
      return {
        claim,
        load,
        enter: (...paths) => enterAudienceFiles(records, claim, load, keysOf(paths)),
        async read(...paths) {
          await enterAudienceFiles(records, claim, load, keysOf(paths));
          await records.audienceFiles.begin(load.audienceId, keysOf(paths));
        },
        async end(path, how = {}) {
          const ended = { etag: 'e', outcome: 'done', rows: 10, problems: [], ...how } as const;
          const files = [{ s3Path: prefix + path, ...ended }];
          await records.inTransaction(async (tx) => {
            await tx.audienceLoads.lockAudienceAndClaim(claim, load);
            await tx.audienceFiles.end(load.audienceId, files);
            const matched = await tx.audiences.matched(load.audienceId);
            await tx.audiences.addUploaded(
              { audienceId: load.audienceId, jobId: claim.jobId },
              ended.outcome === 'done' ? ended.rows : 0,
              matched,
            );
          });
        },
        settle: (state = 'done') =>
          records.inTransaction(async (tx) => {
            await tx.audienceLoads.lockAudienceAndClaim(claim, load);
            await tx.audienceLoads.keepFileProblems([claim.jobId]);
            await tx.audiences.touchLoaded(load.audienceId);
            await tx.jobs.settle(claim, state);
          }),
      };
    },
  };
}

async function claimOf({ records }: TestApp, partnerId: number): Promise<Claim> {
  for (;;) {
    const claim = await records.jobs.claim(60);
    if (!claim) throw new Error('no job to claim');
    if (claim.partnerId === partnerId) return claim;
  }
}
