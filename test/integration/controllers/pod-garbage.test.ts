/** Removal of orphaned and finished pods and of finished Jobs, compared with upstream. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

describe('removal of finished Jobs matches the recording', () => replayControllers('finished-jobs'));

describe('removal of orphaned pods matches the recording', () => replayControllers('pod-garbage'));

describe('removal of finished pods above the threshold matches the recording', () =>
  replayControllers('pod-threshold', { controllerArgs: ['--terminated-pod-gc-threshold=2'] }));
