/** Removal of orphaned and finished pods and of finished Jobs, compared with the reference. */
import { replayControllers } from '../../support/replay-controllers';

describe('finished Jobs', () => replayControllers('finished-jobs'));

describe('orphaned pods', () => replayControllers('pod-garbage'));

describe('finished pods above the threshold', () =>
  replayControllers('pod-threshold', { controllerArgs: ['--terminated-pod-gc-threshold=2'] }));
