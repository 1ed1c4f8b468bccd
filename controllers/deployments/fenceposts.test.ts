import type { AppsV1Deployment } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { resolveFenceposts } from './fenceposts';

type IntOrString = number | string;

const fenceposts = (replicas: number, maxSurge: IntOrString, maxUnavailable: IntOrString, type = 'RollingUpdate') =>
  resolveFenceposts(
    apiObject<AppsV1Deployment>({
      metadata: { name: 'd' },
      spec: { replicas, strategy: { type, rollingUpdate: { maxSurge, maxUnavailable } } },
    }),
  );

type Row = [replicas: number, specSurge: IntOrString, specUnavailable: IntOrString, maxSurge: number, maxUnavailable: number];

test.each<Row>([
  [10, '25%', '25%', 3, 2],
  [10, 3, 2, 3, 2],
  [1, '25%', '25%', 1, 0],
  [10, 0, 0, 0, 1],
  [10, '0%', '5%', 0, 1],
  [3, 0, 9, 0, 3],
  [0, '25%', '25%', 0, 0],
  [100, '7%', '29%', 7, 29],
])(
  'resolveFenceposts for %d replicas with maxSurge %s and maxUnavailable %s returns maxSurge %d and maxUnavailable %d',
  (replicas, specSurge, specUnavailable, maxSurge, maxUnavailable) => {
    expect(fenceposts(replicas, specSurge, specUnavailable)).toEqual({ maxSurge, maxUnavailable });
  },
);

test('resolveFenceposts for the Recreate strategy allows no surge and no unavailable pods', () => {
  expect(fenceposts(10, 3, 3, 'Recreate')).toEqual({ maxSurge: 0, maxUnavailable: 0 });
});
