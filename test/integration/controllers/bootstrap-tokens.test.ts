/** Bootstrap tokens, as the reference's controllers clean them up and let them sign. */
import { replayControllers } from '../../support/replay-controllers';

describe('the cleaner', () => replayControllers('token-cleaner', { controllerArgs: ['--controllers=*,tokencleaner'] }));
