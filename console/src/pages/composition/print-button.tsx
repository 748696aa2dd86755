import { Button } from '../../parts/button.tsx';

/** Opens the print dialog of the browser, which also saves a PDF. */
export function PrintButton() {
  return <Button onClick={() => print()}>Print or save PDF</Button>;
}
