/** Requests for certificates, as the reference's controllers approve, sign and delete them. */
import { replayControllers } from '../../support/replay-controllers';

// The reference server was recorded without NodeRestriction, which refuses a node's request for the certificate of another node.
replayControllers('certificates', { serverArgs: ['--disable-admission-plugins=NodeRestriction'] });
