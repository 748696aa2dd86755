/** Recorded as the status of a response whose client disconnected first. nginx uses the same number. */
export const clientClosedRequest = 499;
