/** Endpoints that somebody writes by hand, as the reference's controllers show them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('mirrored-endpoints');
