/** The flags of OpenID Connect and of the authentication configuration file, under upstream's names. */
import { listFlag, mapFlag, stringFlag } from '../../../shared/cli/flags';

const OIDC = 'OpenID Connect';
const textFlag = (help: string, defaultValue = ''): ReturnType<typeof stringFlag> =>
  stringFlag({ section: OIDC, help, default: defaultValue });

/** By name; part of the flags of the server. */
export const OIDC_FLAGS = {
  'authentication-config': textFlag(
    'File with an AuthenticationConfiguration: token issuers, and the paths that allow anonymous requests. Reloaded when it changes.',
  ),
  'oidc-issuer-url': textFlag('https URL of an OpenID provider whose tokens are accepted.'),
  'oidc-client-id': textFlag('Audience that OpenID tokens must name.'),
  'oidc-username-claim': textFlag('Claim with the user name.', 'sub'),
  'oidc-username-prefix': textFlag("Prefix of user names; '-' is none. By default the issuer and '#', unless the claim is email."),
  'oidc-groups-claim': textFlag('Claim with the groups of the user.'),
  'oidc-groups-prefix': textFlag('Prefix of groups.'),
  'oidc-required-claim': mapFlag({
    section: OIDC,
    help: 'Claims that a token must have, as name=value; may be repeated.',
    default: new Map(),
  }),
  'oidc-signing-algs': listFlag({ section: OIDC, help: 'Accepted signature algorithms.', default: ['RS256'] }),
  'oidc-ca-file': textFlag('PEM bundle with the certificate authorities of the provider. By default those of the system.'),
};
