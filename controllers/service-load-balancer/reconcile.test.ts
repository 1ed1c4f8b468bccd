import type { CoreV1Service, CoreV1ServiceSpec, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import type { Service } from '../../shared/client/rest/typed-objects';
import { apiObject } from '../../shared/client/rest/api-object';
import { parseIpRange, type IpFamily } from '../../shared/values/network/ip-address';
import { AddressPool } from './address-pool';
import { reconcileService, type ServiceAction } from './reconcile';

const FINALIZER = 'service.platform.io/load-balancer-cleanup';
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };

interface ServiceOptions extends MetaV1ObjectMeta {
  readonly spec?: CoreV1ServiceSpec;
  readonly addresses?: readonly string[];
}

const service = (name: string, { spec = {}, addresses = [], ...metadata }: ServiceOptions = {}): Service =>
  apiObject<CoreV1Service>({
    metadata: { namespace: 'n', name, uid: name, ...metadata },
    spec: { type: 'LoadBalancer', loadBalancerClass: 'platform.io/development', ipFamilies: ['IPv4'], ...spec },
    status: { loadBalancer: addresses.length === 0 ? {} : { ingress: addresses.map((ip) => ({ ip, ipMode: 'VIP' })) } },
  });

function setUp(ranges: readonly string[] = ['192.0.2.0/29'], { servesDefaultClass } = { servesDefaultClass: false }) {
  const pool = new AddressPool(ranges.flatMap((text) => parseIpRange(text) ?? []));
  const reconcile = (observed: Service): ServiceAction => reconcileService(observed, pool, { finalizer: FINALIZER, servesDefaultClass });
  return { pool, reconcile };
}

const ensure = (...addresses: string[]): ServiceAction => ({ type: 'ensure', update: { addresses, finalizers: [FINALIZER] } });
const cleanUp = (...finalizers: string[]): ServiceAction => ({ type: 'clean-up', update: { addresses: [], finalizers } });
const keeps = { type: 'none', needsAddress: true };
const ignores = { type: 'none', needsAddress: false };
const unavailable = (problem: string, ...families: IpFamily[]): ServiceAction => ({ type: 'unavailable', problem, families });

describe('reconcileService', () => {
  it('gives a Service of the development class an address and the finalizer', () => {
    const { reconcile } = setUp();
    expect(reconcile(service('a'))).toEqual(ensure('192.0.2.1'));
    expect(reconcile(service('b', { spec: { loadBalancerClass: 'kubernetes.io/development' } }))).toEqual(ensure('192.0.2.2'));
    expect(reconcile(service('a'))).toEqual(ensure('192.0.2.1'));
  });

  it('changes nothing when the Service has its address and the finalizer in either spelling', () => {
    const { reconcile } = setUp();
    reconcile(service('a'));
    for (const finalizer of [FINALIZER, 'service.kubernetes.io/load-balancer-cleanup'])
      expect(reconcile(service('a', { addresses: ['192.0.2.1'], finalizers: ['x.io/y', finalizer] }))).toEqual(keeps);
  });

  it('restores a changed address and keeps the finalizers of others', () => {
    const { reconcile } = setUp();
    reconcile(service('a'));
    expect(reconcile(service('a', { addresses: ['198.51.100.1'], finalizers: ['x.io/y'] }))).toEqual({
      type: 'ensure',
      update: { addresses: ['192.0.2.1'], finalizers: ['x.io/y', FINALIZER] },
    });
  });

  it('keeps the address of a Service that was adopted', () => {
    const { pool, reconcile } = setUp();
    pool.adopt('a', ['192.0.2.4']);
    expect(reconcile(service('a', { addresses: ['192.0.2.4'], finalizers: [FINALIZER] }))).toEqual(keeps);
  });

  it('gives an address of each family of the Service that has a range, in the order of its families', () => {
    const { reconcile } = setUp(['192.0.2.0/29', 'fd00::/120']);
    expect(reconcile(service('a', { spec: { ipFamilies: ['IPv6', 'IPv4'] } }))).toEqual(ensure('fd00::1', '192.0.2.1'));
    expect(reconcile(service('b', { spec: { ipFamilies: ['IPv6'] } }))).toEqual(ensure('fd00::2'));
    expect(setUp().reconcile(service('a', { spec: { ipFamilies: ['IPv6', 'IPv4'] } }))).toEqual(ensure('192.0.2.1'));
  });

  it('reports that no address is free, and that no range has the family', () => {
    const { reconcile, pool } = setUp(['192.0.2.0/30']);
    reconcile(service('a'));
    reconcile(service('b'));
    expect(reconcile(service('c'))).toEqual(unavailable('no free address', 'IPv4'));
    pool.release('a');
    expect(reconcile(service('c'))).toEqual(ensure('192.0.2.1'));
    expect(reconcile(service('d', { spec: { ipFamilies: ['IPv6'] } }))).toEqual(unavailable('no address range for IPv6'));
  });

  it('ignores Services of other types and classes, and without a class unless it serves them', () => {
    const { reconcile } = setUp();
    expect(reconcile(service('a', { spec: { type: 'ClusterIP' } }))).toEqual(ignores);
    expect(reconcile(service('a', { spec: { loadBalancerClass: 'example.com/lb' }, addresses: ['198.51.100.1'] }))).toEqual(ignores);
    const withoutClass = apiObject<CoreV1Service>({
      metadata: { name: 'b', uid: 'b' },
      spec: { type: 'LoadBalancer', ipFamilies: ['IPv4'] },
    });
    expect(reconcile(withoutClass)).toEqual(ignores);
    expect(setUp(['192.0.2.0/29'], { servesDefaultClass: true }).reconcile(withoutClass)).toEqual(ensure('192.0.2.1'));
  });

  it.each<[string, ServiceOptions, ServiceAction]>([
    ['that is being deleted', { ...DELETED, addresses: ['192.0.2.1'], finalizers: ['x.io/y', FINALIZER] }, cleanUp('x.io/y')],
    ['whose type was changed', { spec: { type: 'ClusterIP' }, finalizers: [FINALIZER] }, cleanUp()],
    [
      'of another class with an address of the range',
      { spec: { loadBalancerClass: 'example.com/lb' }, addresses: ['192.0.2.1'], finalizers: [FINALIZER] },
      cleanUp(),
    ],
  ])('clears the status and the finalizer of a Service %s', (_, options, expected) => {
    expect(setUp().reconcile(service('a', options))).toEqual(expected);
  });

  it.each<[string, ServiceOptions]>([
    [
      'of another class with an address of another range',
      { ...DELETED, spec: { loadBalancerClass: 'example.com/lb' }, addresses: ['198.51.100.1'], finalizers: [FINALIZER] },
    ],
    [
      'whose type was changed and that has an address of another load balancer',
      { spec: { type: 'ClusterIP' }, addresses: ['198.51.100.1'], finalizers: [FINALIZER] },
    ],
    ['that is being deleted without the finalizer', { ...DELETED, addresses: ['192.0.2.1'] }],
  ])('does not clean up a Service %s', (_, options) => {
    expect(setUp().reconcile(service('a', options))).toEqual(ignores);
  });
});

describe('AddressPool', () => {
  const families = ['IPv4'] as const;

  it('hands out all addresses of a range except the network and broadcast addresses', () => {
    const { pool } = setUp(['192.0.2.0/30']);
    expect(pool.acquire('a', families)).toEqual(['192.0.2.1']);
    expect(pool.acquire('b', families)).toEqual(['192.0.2.2']);
    expect(pool.acquire('c', families)).toBeUndefined();
    expect(setUp(['192.0.2.8/32']).pool.acquire('a', families)).toEqual(['192.0.2.8']);
  });

  it('lets the first of two Services adopt an address', () => {
    const { pool } = setUp();
    pool.adopt('a', ['192.0.2.1', '192.0.2.2', '198.51.100.1', 'x']);
    pool.adopt('b', ['192.0.2.1']);
    expect(pool.acquire('a', families)).toEqual(['192.0.2.1']);
    expect(pool.acquire('b', families)).toEqual(['192.0.2.2']);
  });

  it('releases the address of a family that a Service no longer has', () => {
    const { pool } = setUp(['192.0.2.0/29', 'fd00::/127']);
    expect(pool.acquire('a', ['IPv4', 'IPv6'])).toEqual(['192.0.2.1', 'fd00::']);
    expect(pool.acquire('b', ['IPv6'])).toEqual(['fd00::1']);
    expect(pool.acquire('c', ['IPv6'])).toBeUndefined();
    expect(pool.acquire('a', ['IPv4'])).toEqual(['192.0.2.1']);
    expect(pool.acquire('c', ['IPv6'])).toEqual(['fd00::']);
  });
});
