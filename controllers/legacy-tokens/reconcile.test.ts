import type { CoreV1Pod, CoreV1ServiceAccount } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { cleanUpPeriod, isTrackedLongEnough, podSecretNames, reconcileToken, referencedSecrets } from './reconcile';

const NOW = Date.parse('2026-11-23T14:10:00Z');
const YEAR_MS = 365 * 86_400_000;
const PERIOD = cleanUpPeriod(NOW, YEAR_MS);
const PREFIXES = ['platform.io', 'kubernetes.io'];
type Labels = Readonly<Record<string, string>>;
const USED = 'kubernetes.io/legacy-token-last-used';
const INVALID = 'kubernetes.io/legacy-token-invalid-since';

const secret = (labels: Labels, creationTimestamp = '2020-01-01T00:00:00Z') =>
  apiObject({ metadata: { name: 's', labels: { ...labels }, creationTimestamp } });
const actionFor = (labels: Labels, more: { isManual?: boolean; isMounted?: boolean; createdAt?: string } = {}) =>
  reconcileToken(
    secret(labels, more.createdAt),
    { isManual: more.isManual ?? false, isMounted: more.isMounted ?? false },
    PERIOD,
    PREFIXES,
  );
const NONE = { type: 'none' };
const INVALIDATE = { type: 'invalidate', since: '2026-11-23' };
const DELETE = { type: 'delete' };

test.each<[string, Labels, unknown]>([
  ['last used long ago', { [USED]: '2020-01-01' }, INVALIDATE],
  ['never used', {}, INVALIDATE],
  ['used today', { [USED]: '2026-11-23' }, NONE],
  ['last used on the first day of the period', { [USED]: '2025-11-23' }, NONE],
  ['last used one day before the period', { [USED]: '2025-11-22' }, INVALIDATE],
  ['labelled with an invalid last-used date', { [USED]: 'garbage' }, NONE],
  ['labelled with an empty last-used date', { [USED]: '' }, NONE],
  ['invalidated long ago', { [USED]: '2020-01-01', [INVALID]: '2021-01-01' }, DELETE],
  ['never used and invalidated long ago', { [INVALID]: '2021-01-01' }, DELETE],
  ['used after it was invalidated, both long ago', { [USED]: '2022-01-01', [INVALID]: '2021-01-01' }, DELETE],
  ['used today although it was invalidated', { [USED]: '2026-11-23', [INVALID]: '2021-01-01' }, NONE],
  ['invalidated today', { [USED]: '2020-01-01', [INVALID]: '2026-11-23' }, NONE],
  ['labelled with an invalid invalid-since date', { [USED]: '2020-01-01', [INVALID]: 'garbage' }, INVALIDATE],
  ["labelled in the product's spelling", { 'platform.io/legacy-token-last-used': '2026-11-23' }, NONE],
])('reconcileToken for a legacy token that is %s, with the labels %j, returns %j', (_, labels, expected) =>
  expect(actionFor(labels)).toEqual(expected),
);

test('reconcileToken keeps a token that was created by hand, is mounted or is new', () => {
  const old = { [USED]: '2020-01-01', [INVALID]: '2021-01-01' };
  expect(actionFor(old, { isManual: true })).toEqual(NONE);
  expect(actionFor(old, { isMounted: true })).toEqual(NONE);
  expect(actionFor(old, { createdAt: '2026-01-01T00:00:00Z' })).toEqual(NONE);
});

test.each([
  ['2020-01-01', true],
  ['2025-11-23', false],
  ['2026-11-23', false],
  ['garbage', false],
  ['', false],
])('isTrackedLongEnough for usage that is tracked since %j returns %j', (since, expected) =>
  expect(isTrackedLongEnough(since, PERIOD)).toBe(expected),
);

test('referencedSecrets lists the Secrets of a ServiceAccount', () => {
  const account = apiObject<CoreV1ServiceAccount>({ metadata: { name: 'a' }, secrets: [{ name: 'x' }, { name: 'y' }] });
  expect(referencedSecrets(account)).toEqual(new Set(['x', 'y']));
});

test('podSecretNames lists the Secrets that a pod refers to', () => {
  const spec = {
    imagePullSecrets: [{ name: 'pull' }],
    volumes: [
      { name: 'v', secret: { secretName: 'volume' } },
      { name: 'w', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'map' } }] } },
      { name: 'x', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
      { name: 'y', rbd: { secretRef: { name: 'rbd' } } },
    ],
    containers: [
      {
        name: 'c',
        env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }],
        envFrom: [{ secretRef: { name: 'all' } }],
      },
    ],
  };
  expect([...podSecretNames(apiObject<CoreV1Pod>({ metadata: { name: 'p' }, spec }))].sort()).toEqual([
    'all',
    'csi',
    'key',
    'projected',
    'pull',
    'rbd',
    'volume',
  ]);
});
