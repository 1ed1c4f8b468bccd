/** Client certificates: the common name is the user, the organizations are its groups. */
import { FAILED, NONE, type Authenticator, type PresentedCredentials, type AuthenticationOutcome } from './authenticator';

export const clientCertificates: Authenticator = {
  authenticate({ certificate }: PresentedCredentials): AuthenticationOutcome {
    if (certificate === undefined) return NONE;
    if (!certificate.verified) return FAILED;
    if (certificate.commonName === '') return NONE;
    return { type: 'user', user: { name: certificate.commonName, groups: certificate.organizations } };
  },
};
