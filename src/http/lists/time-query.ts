import { Type } from 'typebox';

/** A query parameter that is a date or a time. */
export function TimeParameter(description: string) {
  return Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z)?$',
      description: `${description} A date, or a time in UTC.`,
      examples: ['2026-01-31'],
    }),
  );
}

export function timeOf(parameter: string | undefined): Date | undefined {
  return parameter === undefined ? undefined : new Date(parameter);
}
