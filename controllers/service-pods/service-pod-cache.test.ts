import { apiObject } from '../../shared/client/rest/api-object';
import { podView } from './pod-view';
import { ServicePodCache } from './service-pod-cache';
import { serviceView } from './service-view';

const pod = () => podView(apiObject({ metadata: { namespace: 'n', name: 'p', uid: '1' } }));
const service = () => serviceView(apiObject({ metadata: { namespace: 'n', name: 's', uid: '2' } }), 'platform.io');

it('ServicePodCache computes a value once for a pair of views, and again when either view changes', () => {
  let computed = 0;
  const cache = new ServicePodCache(() => (computed += 1));
  const service1 = service();
  const service2 = service();
  const pod1 = pod();
  const pod2 = pod();
  const values = [
    cache.get(service1, pod1),
    cache.get(service1, pod1),
    cache.get(service1, pod2),
    cache.get(service2, pod1),
    cache.get(service1, pod1),
  ];
  expect(values).toEqual([1, 1, 2, 3, 1]);
});
