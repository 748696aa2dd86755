import { exactTime } from '../../parts/format.ts';
import { isOpen } from '../imports/status.ts';
import type { Report } from './report.ts';

/** Why there is nothing to plot, and what to do about it. */
export interface EmptyReport {
  readonly title: string;
  readonly detail: string;
}

/** Undefined if there is something to plot. */
export function emptyReportOf({
  audience,
  composition,
}: Pick<Report, 'audience' | 'composition'>): EmptyReport | undefined {
  if (!composition) return notComputed(audience);
  if (composition.attributes.length === 0) {
    return {
      title: 'The marketplace has no attributes yet',
      detail:
        'The report compares the audience by attributes. It appears when a partner has imported some.',
    };
  }
  if (composition.matched_devices === 0) {
    return {
      title: 'No matched devices',
      detail:
        'None of the devices of this audience, or too few to show, have an attribute in the marketplace. Check that the files contain IDFA or AAID identifiers of the right market.',
    };
  }
  if (composition.attributes.every(({ suppressed }) => suppressed === 'audience_too_small')) {
    return {
      title: 'The audience is too small for a report',
      detail:
        'Fewer than 50 devices are matched (your operator may have set another limit). Figures about so few devices could identify individuals. Append more devices to see the report.',
    };
  }
  return undefined;
}

function notComputed(audience: Report['audience']): EmptyReport {
  const title = 'The report is not available yet';
  if (isOpen(audience)) {
    return {
      title,
      detail: 'The audience is loading. The report appears here when the load ends.',
    };
  }
  if (audience.cleared_at !== null) {
    const at = exactTime(new Date(audience.cleared_at));
    return { title, detail: `The audience was cleared on ${at}. Append files to load it again.` };
  }
  if (audience.status === 3) {
    return {
      title,
      detail: 'The last load ended with errors. See “Files and loads” for the errors of each file.',
    };
  }
  return {
    title,
    detail:
      'The audience is empty, or its report has not been computed yet. The report appears here when it is ready.',
  };
}
