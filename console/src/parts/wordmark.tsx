import { brandLogo, brandName } from './page-facts.ts';

/** The logo and the name of the service. */
export function Wordmark() {
  const logo = brandLogo();
  return (
    <>
      {logo === undefined ? <Streams /> : <img src={logo} alt="" />}
      {brandName()}
    </>
  );
}

/** Three streams that join into one. */
function Streams() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2.5 4.5c6.5 0 6 7.5 12 7.5" strokeWidth="2.2" />
      <path d="M2.5 19.5c6.5 0 6-7.5 12-7.5" strokeWidth="2.2" />
      <path d="M2.5 12h12" strokeWidth="2.2" />
      <path d="M14 12h7.5" strokeWidth="4.4" />
    </svg>
  );
}
