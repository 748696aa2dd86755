import { CopyableCode } from './copyable-code.tsx';

/** The ID of a failed request, to quote to the operator: the log of the service has it. */
export function RequestLine({ requestId }: { readonly requestId: string | undefined }) {
  if (requestId === undefined) return null;
  return (
    <p className="problem-request">
      Request <CopyableCode text={requestId} what="the request ID" />
    </p>
  );
}
