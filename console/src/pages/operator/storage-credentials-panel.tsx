import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { IssuedPanel } from './issued-panel.tsx';
import { NewStorageCredentialsDialog } from './new-storage-credentials-dialog.tsx';

const credentialsPath = '/admin/v1/partners/{partner_id}/storage-credentials';

/** The S3 credentials with which the partner uploads under its own prefix. */
export function StorageCredentialsPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const credentials = useAnswer(
    () => answerOf(api.GET(credentialsPath, { params: { path } })),
    [partnerId],
  );
  return (
    <IssuedPanel
      title="Storage credentials"
      things="storage credentials"
      thing="credentials"
      isPlural
      nameHeading="Access key ID"
      named={({ name }) => `storage credentials ${name}`}
      isCode
      issued={credentials.data?.map((each) => ({
        id: each.accessKeyId,
        name: each.accessKeyId,
        createdAt: each.created_at,
        lastUsedAt: each.last_used_at,
        revokedAt: each.revoked_at,
      }))}
      problem={credentials.problem}
      whenEmpty="The partner needs credentials to upload with an S3 client, but not to upload in the console."
      command={`tributary storage create ${partnerId}`}
      warningFor={({ name }) => (
        <>
          Uploads with <code>{name}</code> are refused from now on. Uploaded files stay.
        </>
      )}
      revoke={async ({ id }) => {
        const params = { path: { ...path, access_key_id: id } };
        await answerOf(api.DELETE(`${credentialsPath}/{access_key_id}`, { params }));
        credentials.reload();
      }}
      newDialog={(close) => (
        <NewStorageCredentialsDialog
          partnerId={partnerId}
          onIssued={credentials.reload}
          onClose={close}
        />
      )}
    />
  );
}
