import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ProgressBar } from '../../parts/bars.tsx';
import { counted } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import {
  countsOf,
  kindWords,
  queuePosition,
  runningFigures,
  shareRead,
  subjectOf,
} from './job-words.ts';
import { type Job, jobAddress, type Progress } from './jobs.ts';
import { problemTitle } from './problem-words.ts';

interface JobOutcomeProps {
  readonly job: Job;
  /** The job it waits for, if it is in the list. */
  readonly ahead: Job | undefined;
}

/** The progress or the outcome of a job, in at most the two lines that each row has room for. */
export function JobOutcome({ job, ahead }: JobOutcomeProps) {
  switch (job.state) {
    case 'pending':
      return <WaitingLines progress={job.progress} ahead={ahead} />;
    case 'running':
      return <RunningLines progress={job.progress} />;
    case 'cancelled':
      return job.problem ? (
        <TwoLines first={reasonOf(job)} second={job.problem.message} />
      ) : (
        <TwoLines first="The audience was cleared before the load ended" />
      );
    case 'failed':
      return <TwoLines first={reasonOf(job)} second={job.problem?.message} />;
    case 'done':
      return (
        <TwoLines
          first={countsOf(job)}
          second={job.problem ? <WithWarning words={reasonOf(job)} /> : undefined}
        />
      );
  }
}

export function RunningLines({ progress }: { readonly progress: Progress }) {
  const figures = runningFigures(progress);
  return (
    <>
      <ProgressBar share={shareRead(progress)} label="Progress" />
      <span className="job-line muted">
        {figures.length === 0 ? 'Starting' : figures.join(' · ')}
      </span>
    </>
  );
}

interface WaitingLinesProps {
  readonly progress: Progress;
  readonly ahead: Job | undefined;
}

export function WaitingLines({ progress, ahead }: WaitingLinesProps) {
  return <TwoLines first={queuePosition(progress)} second={behind(progress, ahead)} />;
}

function behind({ waiting_for }: Progress, ahead: Job | undefined): ReactNode {
  if (waiting_for === null) return undefined;
  if (ahead === undefined) return `Behind job ${waiting_for}`;
  return (
    <>
      Behind {kindWords(ahead).toLowerCase()} {ahead.kind === 'audience' ? '' : `${waiting_for}, `}
      <Link href={jobAddress(ahead)}>
        <bdi>{subjectOf(ahead)}</bdi>
      </Link>
    </>
  );
}

interface TwoLinesProps {
  readonly first: string;
  readonly second?: ReactNode;
}

export function TwoLines({ first, second }: TwoLinesProps) {
  return (
    <>
      <span className="job-line" title={first}>
        {first}
      </span>
      {second !== undefined && (
        <span className="job-line muted" dir="auto" title={titleOf(second)}>
          {second}
        </span>
      )}
    </>
  );
}

/** The tooltip with the full text of a line that may be cut off. */
function titleOf(line: ReactNode): string | undefined {
  return typeof line === 'string' ? line : undefined;
}

function WithWarning({ words }: { readonly words: string }) {
  return (
    <>
      <Icon name="warning" />
      {words}
    </>
  );
}

function reasonOf({ problem, problem_count }: Job): string {
  if (problem === null) return 'Failed';
  const others = problem_count - 1;
  const more = others <= 0 ? '' : `, and ${counted(others, 'more problem', 'more problems')}`;
  return `${problemTitle(problem.code)}${more}`;
}
