/** Which differences between the shown and the actual output of a command are accepted. */
import { matchesShown } from './shown-output';

describe('matchesShown', () => {
  it.each([
    { difference: 'white space and ages', shown: 'deployment.apps/web   0/2   3s', output: 'deployment.apps/web 0/2 1m12s\n' },
    {
      difference: 'the generated part of a pod name',
      shown: 'pod/web-4b4hzwf4q4-fnzrp   Pending',
      output: 'pod/web-7d9c5b8f66-x2x4z Pending',
    },
    { difference: 'uids', shown: 'uid: 0aaf2b3c-1111-4222-8333-444455556666', output: 'uid: 1bbf2b3c-1111-4222-8333-444455556666' },
  ])('ignores $difference', ({ shown, output }) => {
    expect(matchesShown(shown, output)).toBe(true);
  });

  it.each([
    { difference: 'a name', shown: 'namespace/shop created', output: 'namespace/store created' },
    { difference: 'a number', shown: 'deployment.apps/web 0/2', output: 'deployment.apps/web 0/3' },
  ])('finds the difference of $difference', ({ shown, output }) => {
    expect(matchesShown(shown, output)).toBe(false);
  });
});
