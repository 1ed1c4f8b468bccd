/**
 * Authenticates client certificates: the common name is the user name, the organizations are the groups. Verifying the
 * certificate is left to the TLS layer.
 */
import {
  INVALID_CREDENTIALS,
  NO_CREDENTIALS,
  type Authenticator,
  type RequestCredentials,
  type AuthenticationOutcome,
} from './authenticator';

/** A verified certificate without a common name counts as no credentials. */
export const clientCertificateAuthenticator: Authenticator = {
  authenticate({ certificate }: RequestCredentials): AuthenticationOutcome {
    if (certificate === undefined) return NO_CREDENTIALS;
    if (!certificate.isVerified) return INVALID_CREDENTIALS;
    if (certificate.commonName === '') return NO_CREDENTIALS;
    return { type: 'user', user: { name: certificate.commonName, groups: certificate.organizations } };
  },
};
