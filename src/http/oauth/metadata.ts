import { audiencesScope } from './client-metadata.ts';

const members = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'jwks_uri',
  'response_types_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
];

/** Of what the library says of itself, what belongs to OAuth and not to OpenID Connect. */
export function ourMetadata(said: unknown, publicUrl: string): object {
  const all = said as Record<string, unknown>;
  const methods = all.token_endpoint_auth_methods_supported;
  return {
    ...Object.fromEntries(members.map((name) => [name, all[name]])),
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
    response_modes_supported: ['query'],
    scopes_supported: [audiencesScope],
    service_documentation: `${publicUrl}/docs`,
  };
}
