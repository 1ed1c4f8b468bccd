import { boundaryStepFor, ttlSecondsOf } from './reconcile';

test.each<[number, number, string]>([
  [0, 0, '0'],
  [100, 0, '0'],
  [101, 0, '15'],
  [95, 1, '15'],
  [89, 1, '0'],
  [500, 1, '15'],
  [501, 1, '30'],
  [449, 2, '15'],
  [1_001, 2, '60'],
  [2_001, 0, '300'],
  [1_800, 4, '300'],
  [1_799, 4, '60'],
  [0, 4, '0'],
])('boundaryStepFor %i nodes at step %i results in a TTL of %s s', (nodeCount, currentStep, ttlSeconds) =>
  expect(ttlSecondsOf(boundaryStepFor(nodeCount, currentStep))).toBe(ttlSeconds),
);
