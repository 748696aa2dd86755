import { afterAll, beforeAll, describe } from 'vitest';
import { machineHas } from '../support/requirements.ts';
import { describeAttacks } from './attacks.ts';
import { describeAttributes } from './attributes.ts';
import { describeAudiences } from './audiences.ts';
import { describeAuthorize } from './authorize.ts';
import { describeComposition } from './composition.ts';
import { describeFirefox } from './firefox.ts';
import { describeImports } from './imports.ts';
import { describeInjection } from './injection.ts';
import { describeKeyboard } from './keyboard.ts';
import { describeOperator } from './operator.ts';
import { describeOperatorApps } from './operator-apps.ts';
import { describePages } from './pages.ts';
import { describeReference } from './reference.ts';
import { describeSessions } from './sessions.ts';
import { describeSignIn } from './sign-in.ts';
import { startWorld, type World } from './support/world.ts';
import { describeUploads } from './uploads.ts';

/** All suites share one service and one browser, because starting them takes longer than most suites. */
describe.runIf(machineHas('chromium'))('the console in a browser:', () => {
  let running: World;
  beforeAll(async () => {
    running = await startWorld();
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  const world = () => running;

  describeSignIn(world);
  describeSessions(world);
  describeOperator(world);
  describeOperatorApps(world);
  describeAttacks(world);
  describeKeyboard(world);
  describePages(world);
  describeFirefox(world);
  describeReference(world);
  // Alone, because loads of other tests would change the report and slow it down.
  describe('alone:', () => {
    describeComposition(world);
  });
  describeImports(world);
  describeAttributes(world);
  describeAudiences(world);
  describeUploads(world);
  describeAuthorize(world);
  describeInjection(world);
});
