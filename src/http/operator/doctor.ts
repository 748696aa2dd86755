import { Type } from 'typebox';
import { type Finding, findingLevels, worstOf } from '../../domain/finding.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Nullable } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

export function registerAdminDoctor(
  app: App,
  auth: Auth,
  examine: () => Promise<readonly Finding[]>,
): void {
  const Level = Type.Enum([...findingLevels]);
  app.get(
    '/admin/v1/doctor',
    operatorRoute(auth, {
      operationId: 'examineService',
      summary: 'Check the service for problems',
      description:
        'Examines settings, disk, permissions, clocks, versions, addresses, certificates, secrets, jobs, deletions and files, as `tributary doctor` does, from the machine of the API process. It does not read the contents of files; `tributary doctor --deep` does.',
      response: {
        200: Type.Object({
          level: Type.Enum([...findingLevels], { description: 'The most severe level.' }),
          findings: Type.Array(
            Type.Object({
              level: Level,
              check: Type.String({ description: 'What was examined.' }),
              found: Type.String(),
              advice: Nullable(Type.String(), {
                description: 'What to do. Null if nothing is to be done.',
              }),
            }),
          ),
        }),
      },
    }),
    async () => {
      const findings = await examine();
      return { level: worstOf(findings), findings: [...findings] };
    },
  );
}
