/** What becomes of objects when those that own them go, as the reference's collector does it. */
import { replayControllers } from '../../support/replay-controllers';

describe('built-in kinds', () => replayControllers('garbage'));

describe('custom kinds', () => replayControllers('custom-garbage'));
