/** EndpointSlices mirrored from Endpoints that a user writes, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('mirrored-endpoints');
