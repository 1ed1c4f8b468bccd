import { apiObject } from '../../shared/client/rest/api-object';
import { podView } from './pod';
import { PerPod } from './per-pod';
import { serviceView } from './service';

const pod = () => podView(apiObject({ metadata: { namespace: 'n', name: 'p', uid: '1' } }));
const service = () => serviceView(apiObject({ metadata: { namespace: 'n', name: 's', uid: '2' } }), 'platform.io');

it('PerPod computes a value once for a pair of views, and again when either view changes', () => {
  let made = 0;
  const perPod = new PerPod(() => (made += 1));
  const [one, other, [first, second]] = [service(), service(), [pod(), pod()]];
  const asked = [perPod.of(one, first), perPod.of(one, first), perPod.of(one, second), perPod.of(other, first), perPod.of(one, first)];
  expect(asked).toEqual([1, 1, 2, 3, 1]);
});
