import { useSearchParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { usePages } from '../../api/use-pages.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type JobFilter, jobFilterIn, jobQuery, jobsPath } from './job-filter.ts';
import { JobTable } from './job-table.tsx';
import './jobs.css';

const pageSize = 50;

/** The jobs of all partners. The filter is in the address. */
export function JobsPage() {
  const [params, setParams] = useSearchParams();
  const filter = jobFilterIn(params);
  return (
    <Page title="Jobs" subtitle="Imports, deletions and audience loads of all partners.">
      <Panel>
        <Controls filter={filter} onFilter={(next) => setParams({ ...next }, { replace: true })} />
        <JobList key={jobsPath(filter)} filter={filter} />
      </Panel>
    </Page>
  );
}

interface ControlsProps {
  readonly filter: JobFilter;
  onFilter(filter: JobFilter): void;
}

function Controls({ filter, onFilter }: ControlsProps) {
  const api = useApi();
  const partners = useAnswer(() => answerOf(api.GET('/admin/v1/partners')), []);
  /** An empty value removes the condition. */
  const conditionOf = (name: keyof JobFilter) => ({
    value: filter[name] ?? '',
    onChange: ({ target: { value } }: { target: { value: string } }) => {
      const { [name]: _, ...others } = filter;
      onFilter(value === '' ? others : { ...others, [name]: value });
    },
  });
  return (
    <search className="admin-jobs-controls">
      <SelectField label="Partner" {...conditionOf('partner_id')}>
        <option value="">All partners</option>
        {partners.data?.map(({ partner_id, name }) => (
          <option key={partner_id} value={partner_id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Kind" {...conditionOf('kind')}>
        <option value="">All kinds</option>
        <option value="import">Imports</option>
        <option value="dry_run">Dry runs</option>
        <option value="deletion">Deletions</option>
        <option value="erasure">Erasures</option>
        <option value="audience">Audience loads</option>
      </SelectField>
      <SelectField label="State" {...conditionOf('state')}>
        <option value="">All states</option>
        <option value="failed">Failed</option>
        <option value="running">Running</option>
        <option value="pending">Waiting</option>
        <option value="done">Done</option>
        <option value="cancelled">Cancelled</option>
      </SelectField>
      <TextField label="Since" type="date" {...conditionOf('since')} />
      <TextField label="Before" type="date" {...conditionOf('until')} />
      <SelectField label="Order" {...conditionOf('order')}>
        <option value="">Failures first</option>
        <option value="newest">Newest first</option>
      </SelectField>
    </search>
  );
}

function JobList({ filter }: { readonly filter: JobFilter }) {
  const api = useApi();
  const jobs = usePages((after) => {
    const query = { ...jobQuery(filter), limit: pageSize, ...(after ? { after } : {}) };
    return api.GET('/admin/v1/jobs', { params: { query } });
  });
  return (
    <>
      <ProblemNote problem={jobs.problem} />
      {jobs.listed?.length === 0 && (
        <EmptyState title="No jobs">
          {jobs.hasMore ? (
            <p>
              None of the newest jobs matches the filter. Choose Show more to search older ones.
            </p>
          ) : (
            <p>No job matches the filter. Jobs that ended long ago are deleted.</p>
          )}
        </EmptyState>
      )}
      {jobs.listed && jobs.listed.length > 0 && (
        <JobTable label="Table of jobs" jobs={jobs.listed} isNamed />
      )}
      <MoreButton pages={jobs} />
    </>
  );
}
