import { apiObject, type ApiObject } from '../../shared/client/api-object';
import { atOnce } from '../../shared/values/steps';
import { Rivals } from './rivals';

const scaler = (name: string, namespace = 'n'): ApiObject => apiObject({ metadata: { namespace, name } });
const pods = [{ app: 'a', tier: 'x' }, { app: 'a' }, { app: 'b' }].map((labels, at) =>
  apiObject({ metadata: { namespace: 'n', name: `p${at}`, labels } }),
);

test('who scales one of the same pods is a rival, as long as it is there and says so', () => {
  const rivals = new Rivals();
  rivals.set(scaler('h'), 'app=a');
  rivals.set(scaler('i'), 'tier');
  rivals.set(scaler('j'), 'app=b');
  rivals.set(scaler('k', 'other'), 'app=a');
  const seen = () => atOnce(rivals.select(scaler('h'), pods));
  expect(seen().pods.map(({ name }) => name)).toEqual(['p0', 'p1']);
  expect(seen().rivals).toEqual(['n/h', 'n/i']);
  rivals.set(scaler('i'), '');
  expect(seen().rivals).toEqual(['n/h']);
  rivals.set(scaler('i'), 'app=a');
  rivals.forget(scaler('i'));
  expect(seen().rivals).toEqual(['n/h']);
  expect(atOnce(rivals.select(scaler('h'), []))).toEqual({ pods: [], rivals: [] });
});
