/** EndpointSlices mirrored from Endpoints that a user writes, compared with the reference's controllers. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('mirrored-endpoints');
