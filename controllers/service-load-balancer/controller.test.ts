import type { CoreV1Service } from '../../shared/api/types/generated/members';
import { EventRecorder } from '../../shared/client/events/event-recorder';
import { apiObject } from '../../shared/client/rest/api-object';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { parseIpRange } from '../../shared/values/network/ip-address';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { ServiceLoadBalancer } from './controller';

const SERVICES = '/api/v1/services';

/** Runs the controller for a second over the API server, then ends it. */
async function runOnce(fake: ReturnType<typeof fakeClient>, during: () => Promise<void> | void = () => undefined): Promise<void> {
  const end = new AbortController();
  const context = fakeContext(fake, end.signal);
  const events = new EventRecorder({ ...context, component: 'test' });
  const ranges = [parseIpRange('192.0.2.0/30')].flatMap((range) => range ?? []);
  const settings = { ranges, servesDefaultClass: false };
  const running = new ServiceLoadBalancer({ ...context, events, names: GENERATED_NAMES.platform }, settings).run();
  await fake.clock.advanceAsync(1_000);
  await during();
  end.abort();
  await fake.clock.advanceAsync(0);
  await running;
}

function setUp() {
  const fake = fakeClient();
  const { api } = fake;
  const putService = (name: string, second: number, family = 'IPv4'): void =>
    void api.put(SERVICES, {
      metadata: { namespace: 'n', name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'platform.io/development', ipFamilies: [family] },
    });
  /** The address in the status of the Service. */
  const address = (name: string): string | undefined =>
    apiObject<CoreV1Service>(api.get(SERVICES, 'n', name) ?? {}).body.status?.loadBalancer?.ingress?.[0]?.ip;
  return { fake, api, putService, address };
}

test('ServiceLoadBalancer keeps the addresses of Services after a restart, whatever their order', async () => {
  const { fake, api, putService, address } = setUp();
  putService('b', 1);
  await runOnce(fake);
  expect(address('b')).toBe('192.0.2.1');
  putService('a', 2);
  await runOnce(fake);
  expect(address('a')).toBe('192.0.2.2');
  expect(address('b')).toBe('192.0.2.1');
  expect(api.requests.filter((request) => request.startsWith('PATCH') && request.includes('/services/'))).toEqual([
    'PATCH /api/v1/namespaces/n/services/b/status',
    'PATCH /api/v1/namespaces/n/services/a/status',
  ]);
});

test('ServiceLoadBalancer gives a released address to a waiting Service at once', async () => {
  const { fake, api, putService, address } = setUp();
  for (const [index, name] of ['a', 'b', 'c'].entries()) putService(name, index);
  await runOnce(fake, async () => {
    await fake.clock.advanceAsync(20_000);
    expect(address('a')).toBe('192.0.2.1');
    expect(address('b')).toBe('192.0.2.2');
    expect(address('c')).toBeUndefined();
    const [warning] = api.objectsIn('/api/v1/events').filter((event) => event['type'] === 'Warning');
    expect(warning).toMatchObject({
      reason: 'SyncLoadBalancerFailed',
      message: 'Error syncing load balancer: failed to ensure load balancer: no free address',
    });
    api.remove(SERVICES, 'n', 'a');
    await fake.clock.advanceAsync(0);
    expect(address('c')).toBe('192.0.2.1');
  });
});

test('ServiceLoadBalancer gives a released address to a waiting Service that can use it, past one that cannot', async () => {
  const { fake, api, putService, address } = setUp();
  for (const [index, name] of ['a', 'b'].entries()) putService(name, index);
  await runOnce(fake, async () => {
    putService('c', 2, 'IPv6');
    await fake.clock.advanceAsync(1_000);
    putService('d', 3);
    await fake.clock.advanceAsync(20_000);
    expect(address('c')).toBeUndefined();
    expect(address('d')).toBeUndefined();
    api.remove(SERVICES, 'n', 'a');
    await fake.clock.advanceAsync(0);
    expect(address('d')).toBe('192.0.2.1');
  });
});
