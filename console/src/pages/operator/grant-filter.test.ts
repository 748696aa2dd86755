import { expect, test } from 'vitest';
import { grantFilterIn, grantQuery, grantsPath } from './grant-filter.ts';

function filterOf(path: string) {
  return grantFilterIn(new URL(path, 'http://localhost').searchParams);
}

test('the filter is read from the address and written to it', () => {
  expect(grantsPath()).toBe('/console/operator/grants');
  const path = grantsPath({ customer_id: '3', user_id: '5' });
  expect(path).toBe('/console/operator/grants?customer_id=3&user_id=5');
  expect(grantQuery(filterOf(path))).toEqual({ customer_id: 3, user_id: 5 });
  expect(filterOf('/console/operator/grants?partner_id=7&color=red')).toEqual({ partner_id: '7' });
});

test('an invalid filter is sent to the service, not ignored', () => {
  expect(grantQuery(filterOf('/?partner_id=acme'))).toEqual({ partner_id: Number.NaN });
  expect(grantQuery(filterOf('/?partner_id='))).toEqual({ partner_id: 0 });
});
