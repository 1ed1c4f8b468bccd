/** Endpoints and EndpointSlices of Services, compared with the reference's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('endpoint-slices');
