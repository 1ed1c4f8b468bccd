import type { CoreV1ServiceSpec, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { podView, type PodView } from '../service-pods/pod-view';
import { serviceView } from '../service-pods/service-view';
import { desiredSubsets, endpointsAction, endpointsNames, type EndpointsState } from './reconcile';

const names = endpointsNames(GENERATED_NAMES.platform);
const service = (spec: CoreV1ServiceSpec = {}, metadata: MetaV1ObjectMeta = {}) =>
  serviceView(
    apiObject({
      metadata: { namespace: 'n', name: 's', uid: 'u', ...metadata },
      spec: { clusterIP: '10.0.0.1', ipFamilies: ['IPv4'], selector: { a: 'b' }, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    }),
    'platform.io',
  );
const pod = (name: string, ip: string, { isReady = true, nodeName = 'x' } = {}): PodView =>
  podView(
    apiObject({
      metadata: { namespace: 'n', name, uid: name, labels: { a: 'b' } },
      spec: { nodeName },
      status: { podIP: ip, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
    }),
  );
const podsWith = (count: number, { isReady }: { readonly isReady: boolean }): PodView[] =>
  Array.from({ length: count }, (_, index) => {
    const ip = `10.${isReady ? 1 : 2}.${index >> 8}.${index & 255}`;
    return pod(`${isReady ? 'ready' : 'unready'}-${index}`, ip, { isReady });
  });

it.each([
  [1_000, 0, { isTruncated: false, keptReady: 1_000, keptUnready: 0 }],
  [1_001, 5, { isTruncated: true, keptReady: 1_000, keptUnready: 0 }],
  [400, 900, { isTruncated: true, keptReady: 400, keptUnready: 600 }],
])('desiredSubsets of %i ready and %i not ready addresses keeps at most 1,000, ready ones first', (ready, unready, expected) => {
  const pods = [...podsWith(ready, { isReady: true }), ...podsWith(unready, { isReady: false })];
  const { subsets, isTruncated } = desiredSubsets(service(), pods);
  expect(subsets).toHaveLength(1);
  expect(isTruncated).toBe(expected.isTruncated);
  expect(subsets[0]?.addresses ?? []).toHaveLength(expected.keptReady);
  expect(subsets[0]?.notReadyAddresses ?? []).toHaveLength(expected.keptUnready);
});

it('desiredSubsets skips a pod with an address that would make the Endpoints invalid, and returns the reason', () => {
  const { subsets, skipped } = desiredSubsets(service(), [pod('a', '10.1.0.1'), pod('b', '10.1.0.2', { nodeName: '' }), pod('c', 'x')]);
  expect(subsets).toMatchObject([{ addresses: [{ ip: '10.1.0.1' }] }]);
  expect(skipped).toEqual([
    { pod: 'b', reason: 'it has an address but no node' },
    { pod: 'c', reason: 'address "x" is not a valid IP' },
  ]);
});

const CHANGED_AT = '2026-01-01T00:00:00Z';

/** A Service without pods and without Endpoints, but for the given members. */
const stateOf = (members: Partial<EndpointsState>): EndpointsState => ({
  service: service(),
  existing: undefined,
  desired: desiredSubsets(service(), []),
  names,
  triggerTime: undefined,
  ...members,
});

it('endpointsAction updates for changed addresses, labels or capacity, and ignores the order of addresses', () => {
  const pods = [pod('a', '10.1.0.1'), pod('b', '10.1.0.2')];
  const first = endpointsAction(stateOf({ desired: desiredSubsets(service(), pods), triggerTime: CHANGED_AT }));
  if (first.type !== 'create') throw new Error('there is nothing to create');
  const existing = apiObject(first.body);
  const typeFor = (desired = desiredSubsets(service(), [...pods].reverse()), view = service()): string =>
    endpointsAction(stateOf({ service: view, existing, desired })).type;
  expect(typeFor()).toBe('none');
  expect(typeFor(desiredSubsets(service(), [pods[0] ?? pod('', '')]))).toBe('update');
  expect(typeFor(undefined, service({}, { labels: { x: 'y' } }))).toBe('update');
  expect(typeFor({ ...desiredSubsets(service(), pods), isTruncated: true })).toBe('update');
});

it('endpointsAction removes the annotation of the trigger time when the time is unknown', () => {
  const first = endpointsAction(stateOf({ triggerTime: CHANGED_AT }));
  if (first.type !== 'create') throw new Error('there is nothing to create');
  expect(first.body).toMatchObject({ metadata: { annotations: { [names.triggerTime]: CHANGED_AT } } });
  const desired = desiredSubsets(service(), [pod('a', '10.1.0.1')]);
  const next = endpointsAction(stateOf({ existing: apiObject(first.body), desired }));
  expect(next).toMatchObject({ type: 'update', body: { metadata: { annotations: {} } } });
});

it('endpointsAction replaces the other spelling of the labels and annotations that it sets', () => {
  const headless = service({ clusterIP: 'None' }, { labels: { a: 'b', 'service.kubernetes.io/headless': 'no' } });
  const action = endpointsAction(stateOf({ service: headless, desired: desiredSubsets(headless, [pod('a', '10.1.0.1')]) }));
  expect(action).toMatchObject({ body: { metadata: { labels: { a: 'b', 'service.platform.io/headless': '' } } } });
  expect(JSON.stringify(action)).not.toContain('kubernetes.io');
  const annotations = { 'endpoints.kubernetes.io/over-capacity': 'truncated', 'endpoints.kubernetes.io/last-change-trigger-time': 'x' };
  const existing = apiObject({ metadata: { namespace: 'n', name: 's', annotations } });
  const updated = endpointsAction(stateOf({ existing, triggerTime: CHANGED_AT }));
  expect(updated).toMatchObject({
    body: { metadata: { annotations: { 'endpoints.platform.io/last-change-trigger-time': CHANGED_AT } } },
  });
  expect(JSON.stringify(updated)).not.toContain('kubernetes.io');
});

it('desiredSubsets selects pods whose label key is the other spelling of the selector key', () => {
  const view = service({ selector: { 'app.kubernetes.io/name': 'web' } });
  const labelled = (labels: Record<string, string>): PodView =>
    podView(
      apiObject({ metadata: { namespace: 'n', name: 'p', uid: 'p', labels }, spec: { nodeName: 'x' }, status: { podIP: '10.1.0.1' } }),
    );
  const count = (labels: Record<string, string>): number => desiredSubsets(view, [labelled(labels)]).subsets.length;
  expect(count({ 'app.kubernetes.io/name': 'web' })).toBe(1);
  expect(count({ 'app.platform.io/name': 'web' })).toBe(1);
  expect(count({ name: 'web' })).toBe(0);
});
