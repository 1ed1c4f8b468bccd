/** Client certificates: the common name is the user name, the organizations are the groups. */
import {
  INVALID_CREDENTIALS,
  NO_CREDENTIALS,
  type Authenticator,
  type RequestCredentials,
  type AuthenticationOutcome,
} from './authenticator';

export const clientCertificateAuthenticator: Authenticator = {
  authenticate({ certificate }: RequestCredentials): AuthenticationOutcome {
    if (certificate === undefined) return NO_CREDENTIALS;
    if (!certificate.isVerified) return INVALID_CREDENTIALS;
    if (certificate.commonName === '') return NO_CREDENTIALS;
    return { type: 'user', user: { name: certificate.commonName, groups: certificate.organizations } };
  },
};
