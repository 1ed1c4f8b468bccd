/**
 * Validates the OpenID Connect flags, which name at most one issuer, and turns them into its configuration. Several
 * issuers need a configuration file (authentication-configuration.ts). Reads no file.
 */
import { ALL_ALGORITHMS, type TokenIssuerConfig } from '../../authentication/oidc/issuer';
import type { ServerFlags } from '../flags/flags';

/** The error of the combined flags; `undefined` when they are valid. */
export function oidcFlagError(flags: ServerFlags): string | undefined {
  const issuer = flags['oidc-issuer-url'];
  const clientId = flags['oidc-client-id'];
  if (issuer !== '' && flags['authentication-config'] !== '') return '--authentication-config and --oidc-issuer-url are mutually exclusive';
  const hasIssuer = issuer !== '';
  const hasClientId = clientId !== '';
  if (hasIssuer !== hasClientId) return '--oidc-issuer-url and --oidc-client-id must be set together';
  if (hasIssuer && !(URL.canParse(issuer) && issuer.startsWith('https://'))) return '--oidc-issuer-url must be an https URL';
  const unknown = flags['oidc-signing-algs'].find((algorithm) => !ALL_ALGORITHMS.includes(algorithm));
  if (unknown === undefined) return undefined;
  return `--oidc-signing-algs: unknown algorithm ${JSON.stringify(unknown)}; known are ${ALL_ALGORITHMS.join(', ')}`;
}

/** The issuer of the flags; `undefined` when they name none. `authority`: the content of --oidc-ca-file. */
export function issuerFromFlags(flags: ServerFlags, authority: string | undefined): TokenIssuerConfig | undefined {
  const url = flags['oidc-issuer-url'];
  if (url === '') return undefined;
  const claim = flags['oidc-username-claim'];
  const groups = flags['oidc-groups-claim'];
  return {
    url,
    discoveryUrl: undefined,
    audiences: [flags['oidc-client-id']],
    authority,
    algorithms: flags['oidc-signing-algs'],
    username: { type: 'claim', claim, prefix: usernamePrefix(flags['oidc-username-prefix'], claim, url) },
    groups: groups === '' ? undefined : { type: 'claim', claim: groups, prefix: flags['oidc-groups-prefix'] },
    uid: undefined,
    extra: [],
    claimRules: [...flags['oidc-required-claim']].map(([name, value]) => ({ type: 'required', claim: name, value })),
    userRules: [],
  };
}

/**
 * `-` means no prefix. By default it is the issuer and `#`, so that user names of different providers differ, except for
 * email addresses, which are unique on their own.
 */
function usernamePrefix(prefix: string, claim: string, url: string): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${url}#` : prefix;
}
