import { useLocation, useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { AccessPanel } from './access-panel.tsx';
import { ApiKeysPanel } from './api-keys-panel.tsx';
import { AppsPanel } from './apps-panel.tsx';
import { holdingsInWords } from './holdings.ts';
import './operator.css';
import { PartnerStoragePanel } from './partner-storage-panel.tsx';
import { PartnerTroublePanel } from './partner-trouble-panel.tsx';
import { QuotasPanel } from './quotas-panel.tsx';
import { RenameButton } from './rename-button.tsx';
import { StorageCredentialsPanel } from './storage-credentials-panel.tsx';
import { TrendsPanel } from './trends-panel.tsx';
import { UserTokensPanel } from './user-tokens-panel.tsx';

const partnerPath = '/admin/v1/partners/{partner_id}';
const holdingsPath = `${partnerPath}/holdings` as const;

export function PartnerPage() {
  const api = useApi();
  const [, navigate] = useLocation();
  const { partnerId } = useParams<{ partnerId: string }>();
  const partners = useAnswer(() => answerOf(api.GET('/admin/v1/partners')), []);
  const partner = partners.data?.find(({ partner_id }) => String(partner_id) === partnerId);
  if (!partners.data) {
    return (
      <Page title="Partner">
        <ProblemNote problem={partners.problem} />
      </Page>
    );
  }
  const back = <ButtonLink href="/console/operator/partners">All partners</ButtonLink>;
  if (!partner) {
    return (
      <Page title="Partner" actions={back}>
        <EmptyState title="Partner not found">
          <p>Check the address, or choose a partner from the list.</p>
        </EmptyState>
      </Page>
    );
  }
  const id = String(partner.partner_id);
  const params = { path: { partner_id: id } };
  async function change(body: { name?: string; disabled?: boolean }): Promise<void> {
    await answerOf(api.PATCH(partnerPath, { params, body }));
    partners.reload();
  }
  return (
    <Page
      title={partner.name}
      subtitle={
        <>
          Partner {id}, created <Moment at={partner.created_at} isFocusable />. Uploads to{' '}
          <code>
            s3://{partner.bucket}/{partner.prefix}
          </code>
        </>
      }
      actions={
        <>
          <RenameButton thing="partner" name={partner.name} rename={(name) => change({ name })} />
          <ButtonLink
            aria-label="Audit log of this partner"
            href={`/console/operator/audit?partner_id=${id}`}
          >
            Audit
          </ButtonLink>
          {back}
        </>
      }
    >
      <PartnerTroublePanel partnerId={id} />
      <TrendsPanel partnerId={id} />
      <ApiKeysPanel partnerId={id} />
      <StorageCredentialsPanel partnerId={id} />
      <PartnerStoragePanel partnerId={id} />
      <QuotasPanel partnerId={id} />
      <UserTokensPanel partnerId={id} />
      <AppsPanel partnerId={id} />
      <AccessPanel
        thing="partner"
        name={partner.name}
        disabledAt={partner.disabled_at}
        stops="Its API keys, storage credentials, apps and user tokens are refused, its sessions end, and its jobs are cancelled."
        holdings={async () => holdingsInWords(await answerOf(api.GET(holdingsPath, { params })))}
        setDisabled={(disabled) => change({ disabled })}
        remove={async () => {
          await answerOf(api.DELETE(partnerPath, { params }));
          navigate('/console/operator/partners');
        }}
      />
    </Page>
  );
}
