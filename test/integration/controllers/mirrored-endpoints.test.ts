/** EndpointSlices mirrored from Endpoints that a user writes, compared with the reference's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('mirrored-endpoints');
