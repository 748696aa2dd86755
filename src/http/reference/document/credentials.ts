import type { OpenApiDocument, Operation, SecurityScheme } from './openapi-document.ts';

/** An authentication header, and the shell variable that holds its secret in examples. */
export interface RequiredCredential {
  readonly name: string;
  readonly anchor: string;
  readonly header: string;
  readonly prefix: string;
  readonly variable: string;
  readonly description: string | undefined;
}

export function credentialsOf(document: OpenApiDocument): RequiredCredential[] {
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  return schemes.map(([name, scheme]) => credentialFrom(name, scheme));
}

function credentialFrom(name: string, scheme: SecurityScheme): RequiredCredential {
  return {
    name,
    anchor: `authentication-${name}`,
    ...placeOf(scheme),
    variable: variableFor(name),
    description: scheme.description,
  };
}

function placeOf(scheme: SecurityScheme): Pick<RequiredCredential, 'header' | 'prefix'> {
  switch (scheme.in) {
    case 'header':
      return { header: scheme.name ?? '', prefix: '' };
    case 'cookie':
      return { header: 'Cookie', prefix: `${scheme.name}=` };
    default:
      return { header: 'Authorization', prefix: 'Bearer ' };
  }
}

/** `adminToken` becomes `$ADMIN_TOKEN`. */
function variableFor(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/\W+/g, '_');
  return words.toUpperCase().replace(/^(?=\d|$)/, '_');
}

/** The caller sends all credentials of one choice. No choices means open to everyone. */
export function choicesOfCredentials(
  document: OpenApiDocument,
  operation: Operation,
): RequiredCredential[][] {
  const known = credentialsOf(document);
  const requirements = operation.security ?? document.security ?? [];
  return requirements.map((requirement) =>
    known.filter((credential) => Object.hasOwn(requirement, credential.name)),
  );
}
