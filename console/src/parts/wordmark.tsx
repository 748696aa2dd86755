/** Three streams that join into one. */
export function Wordmark() {
  return (
    <>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M2.5 4.5c6.5 0 6 7.5 12 7.5" strokeWidth="2.2" />
        <path d="M2.5 19.5c6.5 0 6-7.5 12-7.5" strokeWidth="2.2" />
        <path d="M2.5 12h12" strokeWidth="2.2" />
        <path d="M14 12h7.5" strokeWidth="4.4" />
      </svg>
      Tributary
    </>
  );
}
