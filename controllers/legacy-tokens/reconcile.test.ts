import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { cleaningOf, isKnownLongEnough, secretsIn, secretsOf, termAt } from './reconcile';

const NOW = Date.parse('2026-11-23T14:10:00Z');
const YEAR_MS = 365 * 86_400_000;
const TERM = termAt(NOW, YEAR_MS);
const PREFIXES = ['platform.io', 'kubernetes.io'];
const [USED, INVALID] = ['kubernetes.io/legacy-token-last-used', 'kubernetes.io/legacy-token-invalid-since'];

const secret = (labels: JsonObject, creationTimestamp = '2020-01-01T00:00:00Z') =>
  apiObject({ metadata: { name: 's', labels, creationTimestamp } });
const cleaning = (labels: JsonObject, more: { isMadeByHand?: boolean; isMounted?: boolean; made?: string } = {}) =>
  cleaningOf(secret(labels, more.made), { isMadeByHand: more.isMadeByHand ?? false, isMounted: more.isMounted ?? false }, TERM, PREFIXES);
const KEPT = { type: 'keep' };
const MARKED = { type: 'mark', day: '2026-11-23' };
const DELETED = { type: 'delete' };

test.each<[string, JsonObject, unknown]>([
  ['last used long ago', { [USED]: '2020-01-01' }, MARKED],
  ['never used', {}, MARKED],
  ['used today', { [USED]: '2026-11-23' }, KEPT],
  ['last used on the first day of the period', { [USED]: '2025-11-23' }, KEPT],
  ['last used one day before the period', { [USED]: '2025-11-22' }, MARKED],
  ['labelled with an invalid last-used date', { [USED]: 'garbage' }, KEPT],
  ['labelled with an empty last-used date', { [USED]: '' }, KEPT],
  ['marked long ago', { [USED]: '2020-01-01', [INVALID]: '2021-01-01' }, DELETED],
  ['never used and marked long ago', { [INVALID]: '2021-01-01' }, DELETED],
  ['used after it was marked, both long ago', { [USED]: '2022-01-01', [INVALID]: '2021-01-01' }, DELETED],
  ['used today although it was marked', { [USED]: '2026-11-23', [INVALID]: '2021-01-01' }, KEPT],
  ['marked today', { [USED]: '2020-01-01', [INVALID]: '2026-11-23' }, KEPT],
  ['labelled with an invalid invalid-since date', { [USED]: '2020-01-01', [INVALID]: 'garbage' }, MARKED],
  ["labelled in the product's spelling", { 'platform.io/legacy-token-last-used': '2026-11-23' }, KEPT],
])('cleaningOf classifies a legacy token that is %s', (_, labels, expected) => expect(cleaning(labels)).toEqual(expected));

test('cleaningOf keeps a token that was created by hand, is mounted or is new', () => {
  const old = { [USED]: '2020-01-01', [INVALID]: '2021-01-01' };
  expect(cleaning(old, { isMadeByHand: true })).toEqual(KEPT);
  expect(cleaning(old, { isMounted: true })).toEqual(KEPT);
  expect(cleaning(old, { made: '2026-01-01T00:00:00Z' })).toEqual(KEPT);
});

test.each([
  ['2020-01-01', true],
  ['2025-11-23', false],
  ['2026-11-23', false],
  ['garbage', false],
  ['', false],
])('isKnownLongEnough for usage that is recorded since %j returns %j', (since, expected) =>
  expect(isKnownLongEnough(since, TERM)).toBe(expected),
);

test('secretsOf lists the Secrets of a ServiceAccount; secretsIn lists those that a pod refers to', () => {
  expect(secretsOf(apiObject({ metadata: { name: 'a' }, secrets: [{ name: 'x' }, { name: 'y' }] }))).toEqual(new Set(['x', 'y']));
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
  expect([...secretsIn(apiObject({ metadata: { name: 'p' }, spec }))].sort()).toEqual([
    'all',
    'csi',
    'key',
    'projected',
    'pull',
    'rbd',
    'volume',
  ]);
});
