import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { NameDialog } from './name-dialog.tsx';
import './operator.css';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
import type { Partner } from './wire.ts';

export function PartnersPage() {
  const api = useApi();
  const [, navigate] = useLocation();
  const [isNaming, setNaming] = useState(false);
  const partners = useAnswer(() => answerOf(api.GET('/admin/v1/partners')), []);

  async function create(name: string): Promise<void> {
    const { partner_id } = await answerOf(api.POST('/admin/v1/partners', { body: { name } }));
    navigate(`/console/operator/partners/${partner_id}`);
  }

  return (
    <Page
      title="Partners"
      subtitle="Who uploads files and calls the API."
      actions={
        <Button kind="primary" onClick={() => setNaming(true)}>
          New partner
        </Button>
      }
    >
      <ProblemNote problem={partners.problem} />
      {partners.data && (
        <Panel>
          {partners.data.length === 0 ? (
            <EmptyState title="No partners yet">
              <p>Create the first one here, or on the command line:</p>
              <CopyCommand command="tributary partner create acme" />
            </EmptyState>
          ) : (
            <PartnerTable partners={partners.data} />
          )}
        </Panel>
      )}
      {isNaming && (
        <NameDialog
          title="New partner"
          hint="Who it is. It gets a prefix of the shared bucket to upload to."
          onName={create}
          onClose={() => setNaming(false)}
        />
      )}
    </Page>
  );
}

function PartnerTable({ partners }: { readonly partners: readonly Partner[] }) {
  const search = useSearch(partners, ({ name, prefix }) => [name, prefix]);
  return (
    <>
      <SearchBar label="Search partners" search={search} />
      <div className="data-scroll">
        <table className="data">
          <caption className="visually-hidden">Partners</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Uploads to</th>
              <th scope="col" className="operator-wide">
                Created
              </th>
              <th scope="col" className="num operator-wide">
                Id
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
      <SearchRest search={search} />
    </>
  );
}
