/** The OpenID Connect flags, under upstream's names. */
import { listFlag, mapFlag, stringFlag } from '../../../shared/cli/flags';

const OIDC = 'OpenID Connect';
const text = (help: string, preset = ''): ReturnType<typeof stringFlag> => stringFlag({ section: OIDC, help, default: preset });

export const OIDC_FLAGS = {
  'authentication-config': text(
    'File with an AuthenticationConfiguration: issuers of tokens and where nobody is let in. Read again when it changes.',
  ),
  'oidc-issuer-url': text('Address of an OpenID provider (https); tokens that it issued are taken.'),
  'oidc-client-id': text('Whom tokens have to be made for.'),
  'oidc-username-claim': text('The claim that names the user.', 'sub'),
  'oidc-username-prefix': text(
    "Put before names of users; '-' = nothing, none given = the issuer and a hash sign, unless the claim is email.",
  ),
  'oidc-groups-claim': text("The claim that names the user's groups."),
  'oidc-groups-prefix': text('Put before names of groups.'),
  'oidc-required-claim': mapFlag({
    section: OIDC,
    help: 'Claims that a token must have, as name=value; may be repeated.',
    default: new Map(),
  }),
  'oidc-signing-algs': listFlag({ section: OIDC, help: 'Algorithms that tokens may be signed with.', default: ['RS256'] }),
  'oidc-ca-file': text("PEM bundle of the provider's authorities; those of the system where none is given."),
};
