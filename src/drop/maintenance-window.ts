const pacific = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});
const beginsAt = 1 * 3_600;
const endsAt = 3 * 3_600;

/**
 * Seconds until DROP's daily maintenance ends, from 01:00 to 03:00 Pacific time; 0 outside of it. Only a
 * vendor's page mentions the maintenance, so it delays scheduled calls and excuses failures, nothing more.
 */
export function maintenanceSeconds(now: Date): number {
  const parts = Object.fromEntries(
    pacific.formatToParts(now).map(({ type, value }) => [type, Number(value)]),
  );
  const { hour = 0, minute = 0, second = 0 } = parts;
  const time = hour * 3_600 + minute * 60 + second;
  return time >= beginsAt && time < endsAt ? endsAt - time : 0;
}
