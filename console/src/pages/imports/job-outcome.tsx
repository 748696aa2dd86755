import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ProgressBar } from '../../parts/bars.tsx';
import { Icon } from '../../parts/icon.tsx';
import {
  countsOf,
  kindWords,
  placeInLine,
  runningFigures,
  shareRead,
  subjectOf,
} from './job-words.ts';
import { type Job, jobAddress, type Progress } from './jobs.ts';
import { problemTitle } from './problem-words.ts';

interface JobOutcomeProps {
  readonly job: Job;
  /** The job it waits for, if it is known here. */
  readonly ahead: Job | undefined;
}

/** How a job stands, or what came of it: two lines at most, for which each row has room. */
export function JobOutcome({ job, ahead }: JobOutcomeProps) {
  switch (job.state) {
    case 'pending':
      return <WaitingLines progress={job.progress} ahead={ahead} />;
    case 'running':
      return <RunningLines progress={job.progress} />;
    case 'cancelled':
      return <TwoLines first="Its audience was cleared before it ended" />;
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
      <ProgressBar share={shareRead(progress)} label="Read so far" />
      <span className="job-line muted">
        {figures.length === 0 ? 'Running' : figures.join(' · ')}
      </span>
    </>
  );
}

interface WaitingLinesProps {
  readonly progress: Progress;
  readonly ahead: Job | undefined;
}

export function WaitingLines({ progress, ahead }: WaitingLinesProps) {
  return <TwoLines first={placeInLine(progress)} second={behind(progress, ahead)} />;
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

/** What is cut off for want of room shows on pointing at it. */
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
  if (problem === null) return 'It failed';
  const others = problem_count - 1;
  const more = others <= 0 ? '' : `, and ${others} more ${others === 1 ? 'problem' : 'problems'}`;
  return `${problemTitle(problem.code)}${more}`;
}
