import { type Command, Option } from 'commander';
import type { TributaryClient } from '../../client/client.ts';
import type { SettingName } from '../../config/settings.ts';
import { type OutputOptions, print } from '../output/print.ts';

/** The outcome of a command: the service's response, and the same as text for people. */
export interface Outcome {
  readonly answer: unknown;
  readonly text: string;
}

/**
 * Gets the client, then the arguments and options of the command. Returns undefined if it has printed
 * everything itself.
 */
// biome-ignore lint/suspicious/noExplicitAny: as in commander, arguments and options depend on the command
type Action = (client: TributaryClient, ...args: any[]) => Promise<Outcome | undefined>;

/** Adds an action to a command that calls the API. Its outcome is printed, as JSON with `--json`. */
export type AddAction = (command: Command, action: Action) => Command;

/** The credentials of a partner, and of the customer it acts for. */
export interface PartnerOptions {
  readonly apiKey: string;
  readonly userToken?: string;
}

/** `options` are those that `connect` needs. */
export function createAddAction(
  connect: (options: PartnerOptions) => Promise<TributaryClient>,
  options: readonly Option[] = [],
): AddAction {
  return (command, action) => {
    for (const option of options) command.addOption(option);
    return command.option('--json', 'print JSON').action(async (...args) => {
      const given: OutputOptions & PartnerOptions = command.opts();
      const outcome = await action(await connect(given), ...args);
      if (outcome) print(outcome.answer, outcome.text, given);
    });
  };
}

export const apiKeyOption = new Option('--api-key <key>', "the partner's API key")
  .env('TRIBUTARY_API_KEY' satisfies SettingName)
  .makeOptionMandatory();

export const userTokenOption = new Option(
  '--user-token <token>',
  'act for the customer of this user token',
).env('TRIBUTARY_USER_TOKEN' satisfies SettingName);
