/** The OpenID Connect flags: which combinations are rejected, and the issuer that they configure. */
import { parseServerFlags } from '../../../test/support/server-flags';
import { issuerFromFlags, oidcFlagError } from './oidc-options';

const OIDC = ['--oidc-issuer-url=https://i', '--oidc-client-id=us'];

it.each<[flags: readonly string[], error: string | undefined]>([
  [[], undefined],
  [OIDC, undefined],
  [['--oidc-issuer-url=https://i'], '--oidc-issuer-url and --oidc-client-id must be set together'],
  [['--oidc-issuer-url=http://i', '--oidc-client-id=us'], '--oidc-issuer-url must be an https URL'],
  [[...OIDC, '--authentication-config=f'], '--authentication-config and --oidc-issuer-url are mutually exclusive'],
])('oidcFlagError returns for the flags %j the error %p', (flags, error) => {
  expect(oidcFlagError(parseServerFlags(...flags))).toBe(error);
});

it.each<[flags: readonly string[], claim: string, prefix: string]>([
  [[], 'sub', 'https://i#'],
  [['--oidc-username-claim=email'], 'email', ''],
  [['--oidc-username-prefix=-'], 'sub', ''],
  [['--oidc-username-prefix=o:'], 'sub', 'o:'],
])('issuerFromFlags reads the username, for the flags %j, from the claim %s with the prefix %p', (flags, claim, prefix) => {
  const issuer = issuerFromFlags(parseServerFlags(...OIDC, ...flags), undefined);
  expect(issuer?.username).toEqual({ type: 'claim', claim, prefix });
});
