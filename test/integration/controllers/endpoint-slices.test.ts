/** Where Services lead, as the reference's controllers write it down. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('endpoint-slices');
