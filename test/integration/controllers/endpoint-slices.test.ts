/** Endpoints and EndpointSlices of Services, compared with the reference's controllers. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('endpoint-slices');
