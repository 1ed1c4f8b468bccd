/** Pods that nobody runs and Jobs that have ended, as the reference's controllers remove them. */
import { replayControllers } from '../../support/replay-controllers';

describe('Jobs', () => replayControllers('finished-jobs'));

describe('pods', () => replayControllers('pod-garbage'));

describe('finished pods', () => replayControllers('pod-threshold', { controllerArgs: ['--terminated-pod-gc-threshold=2'] }));
