import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { countColumn, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TextField } from '../../parts/field.tsx';
import { ListPages, usePages } from '../../parts/list-pages.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useQuery } from '../../parts/use-query.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { type Attribute, attributeAddress } from './attribute.ts';
import { AttributeDialog } from './attribute-dialog.tsx';
import { TaxonomyDialog } from './taxonomy-dialog.tsx';

const pageSize = 100;
const typingPauseMs = 250;

export function AttributesPage() {
  const api = useApi();
  const [, navigate] = useLocation();
  const [{ search }, setQuery] = useQuery('search');
  const wanted = useSettled(search.trim(), typingPauseMs);
  const pages = usePages<number>(wanted);
  const [open, setOpen] = useState<'new' | 'taxonomy'>();
  const { data, problem, reload } = useAnswer(async () => {
    // One more than a page shows whether there is a next one.
    const page = { limit: pageSize + 1, ...(pages.after && { after: pages.after }) };
    const query = { ...page, ...(wanted && { search: wanted }) };
    return answerOf(api.GET('/v1/marketplace/attribute', { params: { query } }));
  }, [api, wanted, pages.after]);
  const attributes = data?.slice(0, pageSize);
  const hasMore = data !== undefined && data.length > pageSize;
  const hasNone = attributes?.length === 0 && wanted === '' && search === '' && pages.isFirst;
  const close = () => setOpen(undefined);

  return (
    <Page
      title="Attributes"
      subtitle="Your files assign attributes to devices, by attribute ID or by your own key."
      actions={
        <>
          <Button onClick={() => setOpen('taxonomy')}>Upload a taxonomy</Button>
          <Button kind="primary" onClick={() => setOpen('new')}>
            New attribute
          </Button>
        </>
      }
    >
      <ProblemNote problem={problem} />
      {hasNone && (
        <Panel>
          <EmptyState title="No attributes yet">
            <p>
              Create one, or upload a CSV file with all of them. Then import files that assign them
              to devices.
            </p>
          </EmptyState>
        </Panel>
      )}
      {attributes !== undefined && !hasNone && (
        <Panel>
          <search className="list-tools">
            <TextField
              label="Search by name or key"
              type="search"
              maxLength={255}
              value={search}
              onChange={(event) => setQuery({ search: event.currentTarget.value })}
            />
          </search>
          {attributes.length === 0 ? (
            <EmptyState title="No matching attributes" />
          ) : (
            <AttributesTable attributes={attributes} />
          )}
          <ListPages pages={pages} next={hasMore ? attributes.at(-1)?.attribute_id : undefined} />
        </Panel>
      )}
      {open === 'new' && (
        <AttributeDialog
          onSaved={(attributeId) => navigate(attributeAddress(attributeId))}
          onClose={close}
        />
      )}
      {open === 'taxonomy' && <TaxonomyDialog onCreated={reload} onClose={close} />}
    </Page>
  );
}

function AttributesTable({ attributes }: { readonly attributes: readonly Attribute[] }) {
  return (
    <DataTable
      label="Table of attributes"
      className="card-rows"
      rows={attributes}
      keyOf={({ attribute_id }) => attribute_id}
      columns={[
        {
          label: 'Attribute',
          className: 'wide',
          cell: ({ attribute_id, name }) => (
            <Link className="path" href={attributeAddress(attribute_id)}>
              <bdi>{name}</bdi>
            </Link>
          ),
        },
        {
          label: 'Key',
          className: 'wide path',
          isCardLabelled: true,
          cell: ({ partner_foreign_key: key }) =>
            key === null ? <span className="muted">none</span> : <bdi>{key}</bdi>,
        },
        {
          label: 'ID',
          className: 'num',
          isCardLabelled: true,
          cell: ({ attribute_id }) => attribute_id,
        },
        countColumn('Devices', 'unique_devices'),
        timeColumn('Updated', 'updated_at'),
      ]}
    />
  );
}
