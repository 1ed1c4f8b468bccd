import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonValue } from '../../shared/values/json';
import { boundsOf } from './bounds';

const bounds = (replicas: number, maxSurge: JsonValue, maxUnavailable: JsonValue, type = 'RollingUpdate') =>
  boundsOf(apiObject({ metadata: { name: 'd' }, spec: { replicas, strategy: { type, rollingUpdate: { maxSurge, maxUnavailable } } } }));

test.each<[number, JsonValue, JsonValue, number, number]>([
  [10, '25%', '25%', 3, 2],
  [10, 3, 2, 3, 2],
  [1, '25%', '25%', 1, 0],
  [10, 0, 0, 0, 1],
  [10, '0%', '5%', 0, 1],
  [3, 0, 9, 0, 3],
  [0, '25%', '25%', 0, 0],
  [100, '7%', '29%', 7, 29],
])(
  'boundsOf %d replicas with maxSurge %s and maxUnavailable %s allows a surge of %d and %d unavailable pods',
  (replicas, more, less, surge, unavailable) => {
    expect(bounds(replicas, more, less)).toEqual({ surge, unavailable });
  },
);

test('boundsOf a Recreate strategy allows no surge and no unavailable pods', () => {
  expect(bounds(10, 3, 3, 'Recreate')).toEqual({ surge: 0, unavailable: 0 });
});
