import { EventRecorder } from '../../shared/client/events/event-recorder';
import { arrayAt, objectAt, stringAt } from '../../shared/values/json';
import { parseIpRange } from '../../shared/values/network/ip-address';
import { statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { resourceOf } from '../../shared/client/rest/resource';
import { NodeIpam } from './controller';

const NODES = '/api/v1/nodes';
const EVENTS = '/api/v1/events';

/** The controller with a cluster CIDR of two blocks, over an API server with the given nodes. */
function setUp(...nodes: readonly (readonly [name: string, podCidr?: string])[]) {
  const fake = fakeClient();
  const { api, clock } = fake;
  const putNode = (name: string, podCIDR?: string): void =>
    void api.put(NODES, { metadata: { name }, spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] } });
  for (const [name, podCidr] of nodes) putNode(name, podCidr);
  const end = new AbortController();
  const context = fakeContext(fake, end.signal);
  const events = new EventRecorder({ ...context, component: 'test' });
  const range = parseIpRange('10.0.0.0/23');
  const settings = { clusterCidrs: range === undefined ? [] : [{ range, nodePrefix: 24 }], serviceRanges: [] };
  const start = (): Promise<void> => new NodeIpam({ ...context, events }, settings).run();
  const podCidr = (name: string): string | undefined => stringAt(objectAt(api.get(NODES, '', name), 'spec'), 'podCIDR');
  const reasons = (): readonly (string | undefined)[] => api.objectsIn(EVENTS).map((event) => stringAt(event, 'reason'));
  const stop = async (running: Promise<void>): Promise<void> => {
    end.abort();
    await clock.advanceAsync(0);
    await running;
  };
  return { api, clock, context, putNode, start, stop, podCidr, reasons };
}

test('NodeIpam does not assign the CIDR that the previous leader assigned, before its informer shows it', async () => {
  const { api, clock, context, putNode, start, stop, podCidr } = setUp(['a'], ['b']);
  await context.informers.of(resourceOf('core.v1.Node')).synced;
  api.holdWatches(NODES);
  putNode('a', '10.0.1.0/24');
  const running = start();
  await clock.advanceAsync(100);
  expect(podCidr('a')).toBe('10.0.1.0/24');
  expect(podCidr('b')).toBe('10.0.0.0/24');
  await stop(running);
});

test('NodeIpam assigns a released CIDR to a waiting node at once', async () => {
  const { api, clock, start, stop, podCidr, reasons } = setUp(['a', '10.0.0.0/24'], ['b', '10.0.1.0/24'], ['c']);
  const running = start();
  await clock.advanceAsync(10_000);
  expect(podCidr('c')).toBeUndefined();
  expect(new Set(reasons())).toEqual(new Set(['CIDRNotAvailable']));
  api.remove(NODES, '', 'a');
  await clock.advanceAsync(0);
  expect(podCidr('c')).toBe('10.0.0.0/24');
  await stop(running);
});

test('NodeIpam repeats a failed write with the same CIDR and records an Event', async () => {
  const { api, clock, start, stop, podCidr, reasons } = setUp(['a']);
  const patches: string[] = [];
  api.intercept = ({ method, body }) => {
    if (method !== 'PATCH') return undefined;
    patches.push(body?.toString() ?? '');
    return patches.length === 1 ? statusResponse(500, 'InternalError') : undefined;
  };
  const running = start();
  await clock.advanceAsync(1_000);
  expect(podCidr('a')).toBe('10.0.0.0/24');
  expect(patches[1]).toBe(patches[0]);
  expect(reasons()).toEqual(['CIDRAssignmentFailed']);
  await stop(running);
});

test('NodeIpam writes nothing to nodes that have pod CIDRs', async () => {
  const { api, clock, start, stop } = setUp(['a', '10.0.0.0/24'], ['b', '192.168.0.0/24']);
  const running = start();
  await clock.advanceAsync(1_000);
  expect(api.requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
  expect(arrayAt(objectAt(api.get(NODES, '', 'a'), 'spec'), 'podCIDRs')).toEqual(['10.0.0.0/24']);
  await stop(running);
});

test('NodeIpam assigns a free CIDR to the next waiting node when the first one has got a CIDR from elsewhere', async () => {
  const { api, clock, putNode, start, stop, podCidr } = setUp(['a', '10.0.0.0/24'], ['b', '10.0.1.0/24'], ['c']);
  const running = start();
  await clock.advanceAsync(1_000);
  putNode('d');
  await clock.advanceAsync(20_000);
  api.remove(NODES, '', 'a');
  putNode('c', '192.168.0.0/24');
  await clock.advanceAsync(0);
  expect(podCidr('c')).toBe('192.168.0.0/24');
  expect(podCidr('d')).toBe('10.0.0.0/24');
  await stop(running);
});

test('NodeIpam assigns to a waiting node the CIDR that another node could not be given and does not need', async () => {
  const { api, clock, putNode, start, stop, podCidr } = setUp(['a', '10.0.0.0/24'], ['b']);
  api.intercept = ({ method, path }) => (method === 'PATCH' && path.endsWith('/b') ? statusResponse(500, 'InternalError') : undefined);
  const running = start();
  await clock.advanceAsync(1_000);
  putNode('c');
  await clock.advanceAsync(20_000);
  expect(podCidr('c')).toBeUndefined();
  putNode('b', '192.168.0.0/24');
  await clock.advanceAsync(0);
  expect(podCidr('c')).toBe('10.0.1.0/24');
  await stop(running);
});
