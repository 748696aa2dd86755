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

/** The library's metadata without the members that belong to OpenID Connect. */
export function oauthMetadata(full: unknown, publicUrl: string): object {
  const all = full as Record<string, unknown>;
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
