import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { type GrantFilter, grantsPath } from './grant-filter.ts';

/** Describes the filter of the list, by name once the names are loaded. */
export function GrantFilterLine({ filter }: { readonly filter: GrantFilter }) {
  const { partner_id, customer_id, user_id } = filter;
  const names = useNames(filter);
  return (
    <p className="operator-filter">
      Only apps
      {partner_id !== undefined && (
        <>
          {' of '}
          <Link href={`/console/operator/partners/${partner_id}`}>
            <bdi>{names?.partner ?? `partner ${partner_id}`}</bdi>
          </Link>
        </>
      )}
      {user_id !== undefined && (
        <>
          {' that act for '}
          <bdi>{names?.user ?? `user ${user_id}`}</bdi>
        </>
      )}
      {customer_id !== undefined && (
        <>
          {user_id === undefined ? ' that act for users of ' : ' of '}
          <Link href={`/console/operator/customers/${customer_id}`}>
            <bdi>{names?.customer ?? `customer ${customer_id}`}</bdi>
          </Link>
        </>
      )}
      . <Link href={grantsPath()}>Show all</Link>
    </p>
  );
}

interface Names {
  readonly partner: string | undefined;
  readonly customer: string | undefined;
  readonly user: string | undefined;
}

function useNames({ partner_id, customer_id, user_id }: GrantFilter): Names | undefined {
  const api = useApi();
  const { data } = useAnswer(async () => {
    const [partners, customers, users] = await Promise.all([
      partner_id === undefined ? [] : answerOf(api.GET('/admin/v1/partners')),
      customer_id === undefined ? [] : answerOf(api.GET('/admin/v1/customers')),
      customer_id === undefined || user_id === undefined
        ? []
        : answerOf(
            api.GET('/admin/v1/customers/{customer_id}/users', {
              params: { path: { customer_id } },
            }),
          ),
    ]);
    return {
      partner: partners.find((each) => String(each.partner_id) === partner_id)?.name,
      customer: customers.find((each) => String(each.customer_id) === customer_id)?.name,
      user: users.find((each) => String(each.user_id) === user_id)?.email,
    };
  }, []);
  return data;
}
