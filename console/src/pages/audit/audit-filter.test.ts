import { expect, test } from 'vitest';
import { auditFilterIn, auditQuery } from './audit-filter.ts';

test('reads are left out unless they are chosen', () => {
  const filter = auditFilterIn(new URLSearchParams('partner_id=7&actor=partner&page=2&since='));
  expect(filter).toEqual({ partner_id: '7', actor: 'partner' });
  expect(auditQuery(filter)).toEqual({ partner_id: 7, actor: 'partner', changes: 'true' });
  expect(auditQuery({ reads: 'true' })).toEqual({});
});
