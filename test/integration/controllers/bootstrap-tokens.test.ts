/** Bootstrap tokens, as the reference's controllers clean them up and let them sign. */
import { replayControllers } from '../../support/replay-controllers';

const controllerArgs = ['--controllers=*,tokencleaner,bootstrapsigner'];

describe('the cleaner', () => replayControllers('token-cleaner', { controllerArgs }));

describe('the signer', () => replayControllers('bootstrap-signer', { controllerArgs }));
