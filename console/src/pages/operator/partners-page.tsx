import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { timeColumn } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { NamedListPage } from './named-list-page.tsx';
import './operator.css';
import { SearchTable } from './search-table.tsx';
import type { Partner } from './wire.ts';

export function PartnersPage() {
  const api = useApi();

  async function create(name: string): Promise<string> {
    const { partner_id } = await answerOf(api.POST('/admin/v1/partners', { body: { name } }));
    return `/console/operator/partners/${partner_id}`;
  }

  return (
    <NamedListPage
      title="Partners"
      subtitle="Partners upload files and call the API."
      thing="partner"
      hint="The partner gets its own prefix in the shared bucket to upload to."
      command="tributary partner create acme"
      load={() => answerOf(api.GET('/admin/v1/partners'))}
      create={create}
    >
      {(partners) => <PartnerTable partners={partners} />}
    </NamedListPage>
  );
}

function PartnerTable({ partners }: { readonly partners: readonly Partner[] }) {
  return (
    <SearchTable
      label="Table of partners"
      searchLabel="Search partners"
      textsOf={({ name, prefix }) => [name, prefix]}
      rows={partners}
      keyOf={({ partner_id }) => partner_id}
      columns={[
        {
          label: 'Name',
          className: 'operator-name',
          cell: ({ partner_id, name, disabled_at }) => (
            <>
              <Link href={`/console/operator/partners/${partner_id}`}>
                <bdi>{name}</bdi>
              </Link>
              {disabled_at !== null && <StateBadge state="cancelled" word="Disabled" />}
            </>
          ),
        },
        {
          label: 'Uploads to',
          className: 'operator-prefix',
          cell: ({ prefix }) => <code>{prefix}</code>,
        },
        timeColumn('Created', 'created_at', 'wide-only'),
        { label: 'ID', className: 'num wide-only', cell: ({ partner_id }) => partner_id },
      ]}
    />
  );
}
