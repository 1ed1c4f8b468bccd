/** Requests for certificates, as the reference's controllers approve, sign and delete them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('certificates');
