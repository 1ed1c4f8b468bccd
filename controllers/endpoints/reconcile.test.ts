import { apiObject } from '../../shared/client/rest/api-object';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import { podView, type PodView } from '../service-pods/pod';
import { serviceView } from '../service-pods/service';
import { endpointsAction, endpointsNames, MOST_ADDRESSES, wantedSubsets } from './reconcile';

const names = endpointsNames(GENERATED_NAMES.platform);
const service = (spec: JsonObject = {}, metadata: JsonObject = {}) =>
  serviceView(
    apiObject({
      metadata: { namespace: 'n', name: 's', uid: 'u', ...metadata },
      spec: { clusterIP: '10.0.0.1', ipFamilies: ['IPv4'], selector: { a: 'b' }, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    }),
    'platform.io',
  );
const pod = (name: string, ip: string, { isReady = true, node = 'x' } = {}): PodView =>
  podView(
    apiObject({
      metadata: { namespace: 'n', name, uid: name, labels: { a: 'b' } },
      spec: { nodeName: node },
      status: { podIP: ip, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
    }),
  );
const addresses = (count: number, isReady: boolean): PodView[] =>
  Array.from({ length: count }, (_, n) => pod(`${isReady}${n}`, `10.${isReady ? 1 : 2}.${n >> 8}.${n & 255}`, { isReady }));

const counts = (pods: readonly PodView[]): unknown => {
  const { subsets, isTruncated } = wantedSubsets(service(), pods);
  const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
  return [isTruncated, ...subsets.map((subset) => [lengthOf(subset['addresses']), lengthOf(subset['notReadyAddresses'])])];
};

it.each([
  [MOST_ADDRESSES, 0, [false, [1000, 0]]],
  [MOST_ADDRESSES + 1, 5, [true, [1000, 0]]],
  [400, 900, [true, [400, 600]]],
])('wantedSubsets of %i ready and %i not ready addresses keeps at most 1,000, ready ones first', (ready, unready, expected) => {
  expect(counts([...addresses(ready, true), ...addresses(unready, false)])).toEqual(expected);
});

it('wantedSubsets skips a pod whose address would make the Endpoints invalid, and reports the reason', () => {
  const { subsets, skipped } = wantedSubsets(service(), [pod('a', '10.1.0.1'), pod('b', '10.1.0.2', { node: '' }), pod('c', 'x')]);
  expect(subsets).toMatchObject([{ addresses: [{ ip: '10.1.0.1' }] }]);
  expect(skipped).toEqual([
    { pod: 'b', why: 'it has an address and no node' },
    { pod: 'c', why: 'address "x" is not a valid IP' },
  ]);
});

it('endpointsAction updates for changed addresses, labels or capacity, and ignores the order of addresses', () => {
  const pods = [pod('a', '10.1.0.1'), pod('b', '10.1.0.2')];
  const first = endpointsAction(service(), undefined, wantedSubsets(service(), pods), names, '2026-01-01T00:00:00Z');
  if (first.type !== 'create') throw new Error('there is nothing to create');
  const present = apiObject(first.object);
  const again = (wanted = wantedSubsets(service(), [...pods].reverse()), view = service()): string =>
    endpointsAction(view, present, wanted, names, undefined).type;
  expect(again()).toBe('none');
  expect(again(wantedSubsets(service(), [pods[0] ?? pod('', '')]))).toBe('update');
  expect(again(undefined, service({}, { labels: { x: 'y' } }))).toBe('update');
  expect(again({ ...wantedSubsets(service(), pods), isTruncated: true })).toBe('update');
});

it('endpointsAction removes the annotation of the trigger time when the time is unknown', () => {
  const wanted = wantedSubsets(service(), []);
  const first = endpointsAction(service(), undefined, wanted, names, '2026-01-01T00:00:00Z');
  if (first.type !== 'create') throw new Error('there is nothing to create');
  expect(first.object).toMatchObject({ metadata: { annotations: { [names.triggerTime]: '2026-01-01T00:00:00Z' } } });
  const next = endpointsAction(service(), apiObject(first.object), wantedSubsets(service(), [pod('a', '10.1.0.1')]), names, undefined);
  expect(next).toMatchObject({ type: 'update', object: { metadata: { annotations: {} } } });
});

it('endpointsAction replaces the other spelling of the labels and annotations that it sets', () => {
  const headless = service({ clusterIP: 'None' }, { labels: { a: 'b', 'service.kubernetes.io/headless': 'no' } });
  const action = endpointsAction(headless, undefined, wantedSubsets(headless, [pod('a', '10.1.0.1')]), names, undefined);
  expect(action).toMatchObject({ object: { metadata: { labels: { a: 'b', 'service.platform.io/headless': '' } } } });
  expect(JSON.stringify(action)).not.toContain('kubernetes.io');
  const annotations = { 'endpoints.kubernetes.io/over-capacity': 'truncated', 'endpoints.kubernetes.io/last-change-trigger-time': 'x' };
  const present = apiObject({ metadata: { namespace: 'n', name: 's', annotations } });
  const updated = endpointsAction(service(), present, wantedSubsets(service(), []), names, '2026-01-01T00:00:00Z');
  expect(updated).toMatchObject({
    object: { metadata: { annotations: { 'endpoints.platform.io/last-change-trigger-time': '2026-01-01T00:00:00Z' } } },
  });
  expect(JSON.stringify(updated)).not.toContain('kubernetes.io');
});

it('wantedSubsets selects pods whose label key is the other spelling of the selector key', () => {
  const view = service({ selector: { 'app.kubernetes.io/name': 'web' } });
  const labelled = (labels: JsonObject): PodView =>
    podView(
      apiObject({ metadata: { namespace: 'n', name: 'p', uid: 'p', labels }, spec: { nodeName: 'x' }, status: { podIP: '10.1.0.1' } }),
    );
  const count = (labels: JsonObject): number => wantedSubsets(view, [labelled(labels)]).subsets.length;
  expect([count({ 'app.kubernetes.io/name': 'web' }), count({ 'app.platform.io/name': 'web' }), count({ name: 'web' })]).toEqual([1, 1, 0]);
});
