import { isOpen } from '../imports/status.ts';
import type { Report } from './report.ts';

/** Why there is nothing to plot, and what to do about it. */
export interface EmptyReport {
  readonly title: string;
  readonly detail: string;
}

/** Undefined if there is something to plot. */
export function emptyReportOf({ audience, composition }: Report): EmptyReport | undefined {
  if (!composition) return notComputed(audience);
  if (composition.attributes.length === 0) {
    return {
      title: 'The marketplace has no attributes yet',
      detail:
        'The report compares the audience by attributes. It appears here when a partner has imported some.',
    };
  }
  if (composition.matched_devices === 0) {
    return {
      title: 'No device of this audience is matched',
      detail:
        'None of its devices carries an attribute of the marketplace, so there is nothing to compare. Check that the files hold IDFA or AAID identifiers of the right market.',
    };
  }
  if (composition.attributes.every(({ suppressed }) => suppressed === 'audience_too_small')) {
    return {
      title: 'The audience is too small to describe',
      detail:
        'Fewer than 50 of its devices are matched (or than the limit that your operator has set). Figures about so few could single somebody out. Append more devices to see the report.',
    };
  }
  return undefined;
}

function notComputed(audience: Report['audience']): EmptyReport {
  const title = 'The report is not computed yet';
  if (isOpen(audience)) {
    return {
      title,
      detail: 'The audience is being loaded. The report appears here by itself when the load ends.',
    };
  }
  if (audience.status === 3) {
    return {
      title,
      detail: 'The last load ended with errors. The page of the audience says which, file by file.',
    };
  }
  return {
    title,
    detail: 'The audience is empty. The report comes with the first file that is loaded.',
  };
}
