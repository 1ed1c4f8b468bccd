/** Endpoints and EndpointSlices of Services, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('endpoint-slices');
