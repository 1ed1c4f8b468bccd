/** The OpenID Connect flags, under upstream's names. */
import { listFlag, mapFlag, stringFlag } from '../../../shared/cli/flags';

const OIDC = 'OpenID Connect';
const text = (help: string, preset = ''): ReturnType<typeof stringFlag> => stringFlag({ section: OIDC, help, default: preset });

export const OIDC_FLAGS = {
  'authentication-config': text(
    'File with an AuthenticationConfiguration: token issuers, and the paths that allow anonymous requests. Reloaded when it changes.',
  ),
  'oidc-issuer-url': text('https URL of an OpenID provider whose tokens are accepted.'),
  'oidc-client-id': text('Audience that OpenID tokens must name.'),
  'oidc-username-claim': text('Claim with the user name.', 'sub'),
  'oidc-username-prefix': text("Prefix of user names; '-' is none. By default the issuer and '#', unless the claim is email."),
  'oidc-groups-claim': text('Claim with the groups of the user.'),
  'oidc-groups-prefix': text('Prefix of groups.'),
  'oidc-required-claim': mapFlag({
    section: OIDC,
    help: 'Claims that a token must have, as name=value; may be repeated.',
    default: new Map(),
  }),
  'oidc-signing-algs': listFlag({ section: OIDC, help: 'Accepted signature algorithms.', default: ['RS256'] }),
  'oidc-ca-file': text('PEM bundle with the certificate authorities of the provider. By default those of the system.'),
};
