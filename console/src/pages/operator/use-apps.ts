import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { App } from './wire.ts';

const appsPath = '/admin/v1/partners/{partner_id}/oauth-apps';
const appPath = `${appsPath}/{client_id}` as const;

export type AppKind = App['kind'];
type Described = Pick<App, 'name' | 'redirect_uris'>;

export type Apps = ReturnType<typeof useApps>;

/** The apps of a partner, and the calls that change them. */
export function useApps(partnerId: string) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const listed = useAnswer(() => answerOf(api.GET(appsPath, { params: { path } })), [partnerId]);
  const paramsOf = ({ client_id }: App) => ({ path: { ...path, client_id } });
  return {
    ...listed,

    /** Returns the secret, which cannot be read again; null if the app is public. */
    register: (body: Described & { readonly kind: AppKind }) =>
      answerOf(api.POST(appsPath, { params: { path }, body })),

    renewSecret: (app: App) => answerOf(api.POST(`${appPath}/secret`, { params: paramsOf(app) })),

    async change(app: App, body: Partial<Described> & { disabled?: boolean }): Promise<void> {
      await answerOf(api.PATCH(appPath, { params: paramsOf(app), body }));
      listed.reload();
    },

    async remove(app: App): Promise<void> {
      await answerOf(api.DELETE(appPath, { params: paramsOf(app) }));
      listed.reload();
    },
  };
}
