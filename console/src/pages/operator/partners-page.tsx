import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ListTable } from './list-table.tsx';
import { NamedListPage } from './named-list-page.tsx';
import './operator.css';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
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
      subtitle="Who uploads files and calls the API."
      thing="partner"
      hint="Who it is. It gets a prefix of the shared bucket to upload to."
      command="tributary partner create acme"
      load={() => answerOf(api.GET('/admin/v1/partners'))}
      create={create}
    >
      {(partners) => <PartnerTable partners={partners} />}
    </NamedListPage>
  );
}

function PartnerTable({ partners }: { readonly partners: readonly Partner[] }) {
  const search = useSearch(partners, ({ name, prefix }) => [name, prefix]);
  return (
    <>
      <SearchBar label="Search partners" search={search} />
      <ListTable
        caption="Partners"
        columns={[
          'Name',
          'Uploads to',
          { label: 'Created', isWide: true },
          { label: 'Id', isNumber: true, isWide: true },
        ]}
      >
        {search.shown.map((partner) => (
          <tr key={partner.partner_id}>
            <th scope="row" className="operator-name">
              <Link href={`/console/operator/partners/${partner.partner_id}`}>
                <bdi>{partner.name}</bdi>
              </Link>
            </th>
            <td className="operator-prefix">
              <code>{partner.prefix}</code>
            </td>
            <td className="operator-wide">
              <Moment at={partner.created_at} />
            </td>
            <td className="num operator-wide">{partner.partner_id}</td>
          </tr>
        ))}
      </ListTable>
      <SearchRest search={search} />
    </>
  );
}
