/** CertificateSigningRequests: approval, signing and deletion, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

// The reference server was recorded without NodeRestriction, which refuses a node's request for the certificate of
// another node.
replayControllers('certificates', { serverArgs: ['--disable-admission-plugins=NodeRestriction'] });
