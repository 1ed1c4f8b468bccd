/** Which differences between the shown and the actual output of a command are accepted. */
import { matchesShown } from './shown-output';

describe('matchesShown', () => {
  it.each([
    ['deployment.apps/web   0/2   3s', 'deployment.apps/web 0/2 1m12s\n', true],
    ['pod/web-4b4hzwf4q4-fnzrp   Pending', 'pod/web-7d9c5b8f66-x2x4z Pending', true],
    ['uid: 0aaf2b3c-1111-4222-8333-444455556666', 'uid: 1bbf2b3c-1111-4222-8333-444455556666', true],
    ['namespace/shop created', 'namespace/store created', false],
    ['deployment.apps/web 0/2', 'deployment.apps/web 0/3', false],
  ])('compares %j with %j: %s', (shown, output, isEqual) => {
    expect(matchesShown(shown, output)).toBe(isEqual);
  });
});
