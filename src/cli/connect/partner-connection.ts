import { type Command, Option } from 'commander';
import type { TributaryClient } from '../../client/client.ts';

export interface PartnerOptions {
  readonly apiKey: string;
  /** For whom the partner acts, where it can act for somebody. */
  readonly userToken?: string;
}

/** Speaks to the service in the name of a partner. */
export type ConnectPartner = (options: PartnerOptions) => TributaryClient;

/** A command that a partner gives, with its own key and not with the operator's token. */
export function asPartner(command: Command): Command {
  return command.addOption(
    new Option('--api-key <key>', "the partner's API key")
      .env('TRIBUTARY_API_KEY')
      .makeOptionMandatory(),
  );
}

/** The same, for a customer or for itself. */
export function asPartnerOrCustomer(command: Command): Command {
  return asPartner(command).addOption(
    new Option('--user-token <token>', 'act for the customer whose token this is').env(
      'TRIBUTARY_USER_TOKEN',
    ),
  );
}
