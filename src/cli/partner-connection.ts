import { type Command, Option } from 'commander';
import type { TributaryClient } from '../client/client.ts';

export interface PartnerOptions {
  readonly apiKey: string;
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
