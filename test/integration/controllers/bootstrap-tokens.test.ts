/** Cleaning and signing of bootstrap tokens, compared with upstream. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

const controllerArgs = ['--controllers=*,tokencleaner,bootstrapsigner'];

describe('the token cleaner matches the recording', () => replayControllers('token-cleaner', { controllerArgs }));

describe('the bootstrap signer matches the recording', () => replayControllers('bootstrap-signer', { controllerArgs }));
