/**
 * Addresses and node ports of Services: allocation, rejection and release. Responses were recorded from the reference
 * server, except for the limit of ports, which it does not have.
 */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { checkAllocations, type AllocationFinding, type AllocationHolder } from '../../allocation/check-allocations';
import { prefixRange } from '../../storage/store';
import { serviceAllocation } from '../../kinds/core/service/allocation';
import { PREFIX, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { allocationOwnerOf } from './allocation';

interface Port {
  readonly [member: string]: string | number;
}

const service = (name: string, spec: JsonObject): JsonObject => ({ metadata: { name }, spec });
const web = (...ports: readonly Port[]): JsonObject => ({
  ports: (ports.length === 0 ? [{ port: 80 }] : ports).map((port) => ({ ...port })),
});

/** The allocation keys with the names of their owners and, for ports, protocols. */
async function allocationKeys({ store }: WriteFixture): Promise<Record<string, string>> {
  const { kvs } = await store.range(prefixRange(`${PREFIX}/allocations/`));
  const owners: Record<string, string> = {};
  for (const { key, value } of kvs) {
    const owner: { readonly name: string; readonly protocols?: readonly string[] } = JSON.parse(value.toString());
    owners[key.slice(`${PREFIX}/allocations/`.length)] = [owner.name, ...(owner.protocols ?? [])].join(' ');
  }
  return owners;
}

/** Those of node ports. */
async function portKeys(fixture: WriteFixture): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await allocationKeys(fixture)).filter(([id]) => id.startsWith('ports/')));
}

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const addressOf = (object: JsonObject): string => stringAt(specOf(object), 'clusterIP') ?? '';
/** The node port of each port; `undefined` for a port without one. */
const nodePorts = (object: JsonObject): readonly (number | undefined)[] =>
  (arrayAt(specOf(object), 'ports') ?? []).filter(isObject).map(({ nodePort }) => (typeof nodePort === 'number' ? nodePort : undefined));

/** The stored Service with a changed spec; a member with the value null is removed. */
async function withSpec(fixture: WriteFixture, name: string, spec: JsonObject): Promise<JsonObject> {
  const stored = (await fixture.stored('services', name)) ?? {};
  const merged: JsonObject = { ...specOf(stored), ...spec };
  for (const [member, value] of Object.entries(spec)) if (value === null) delete merged[member];
  return { ...stored, spec: merged };
}

/** Differences between the allocation keys and what the stored Services hold. */
async function allocationFindings(fixture: WriteFixture): Promise<readonly AllocationFinding[]> {
  const { kvs } = await fixture.store.range(prefixRange(`${PREFIX}/services/specs/`));
  await fixture.cache.catchUp();
  const holders: AllocationHolder[] = [];
  for (const { key } of kvs) {
    const object = (await fixture.stored('services', key.slice(key.lastIndexOf('/') + 1))) ?? {};
    holders.push({ owner: allocationOwnerOf(object), revision: 0, ids: [...serviceAllocation.allocationsOf(object).keys()] });
  }
  return checkAllocations(holders, fixture.allocator.allRecords());
}

it.each([
  ["on the server's thread", false],
  ['in a worker thread', true],
])('a create processed %s allocates an address in one transaction, and the delete releases it', async (_where, isOffloaded) => {
  const fixture = await openWriteFixture({ isOffloaded });
  const before = fixture.store.calls.transact;
  const { object } = await fixture.create('services', service('a', web()));
  expect(fixture.store.calls.transact - before).toBe(1);
  const address = addressOf(object);
  expect(specOf(object)['clusterIPs']).toEqual([address]);
  expect(await allocationKeys(fixture)).toEqual({ [`ips/${address}`]: 'a' });
  await fixture.remove('services', 'a');
  expect(await allocationKeys(fixture)).toEqual({});
});

it('a dry run shows a free address and node port and allocates none', async () => {
  const fixture = await openWriteFixture({ ranges: '10.0.0.0/29', nodePorts: '30000-30001' });
  const { object } = await fixture.create('services', service('a', { ...web(), type: 'NodePort' }), { dryRun: true });
  expect(specOf(object)['clusterIP']).toMatch(/^10\.0\.0\.[2-6]$/);
  expect(nodePorts(object)).toEqual([expect.any(Number)]);
  expect(await allocationKeys(fixture)).toEqual({});
  await fixture.create('services', service('b', { ...web(), clusterIP: '10.0.0.3' }));
  const rejected = await refusalStatus(fixture.create('services', service('c', { ...web(), clusterIP: '10.0.0.3' }), { dryRun: true }));
  expect(rejected.message).toContain('failed to allocate IP 10.0.0.3: provided IP is already allocated');
});

describe('node ports of a new Service', () => {
  const cases: readonly (readonly [title: string, ports: readonly Port[], expected: Record<string, string>])[] = [
    ['use the requested one', [{ port: 80, nodePort: 31001 }], { 'ports/31001': 'a TCP' }],
    [
      'share the requested one between two protocols of a port',
      [
        { name: 'x', port: 80 },
        { name: 'y', port: 80, protocol: 'UDP', nodePort: 31003 },
      ],
      { 'ports/31003': 'a TCP UDP' },
    ],
    [
      'keep two requested ones of a port',
      [
        { name: 'x', port: 80, nodePort: 31004 },
        { name: 'y', port: 80, protocol: 'UDP', nodePort: 31005 },
      ],
      { 'ports/31004': 'a TCP', 'ports/31005': 'a UDP' },
    ],
    [
      'use the first requested one for protocols without one',
      [
        { name: 'x', port: 80, nodePort: 31041 },
        { name: 'y', port: 80, protocol: 'UDP' },
        { name: 'z', port: 80, protocol: 'SCTP', nodePort: 31042 },
      ],
      { 'ports/31041': 'a TCP UDP', 'ports/31042': 'a SCTP' },
    ],
  ];
  it.each(cases)('%s', async (_what, ports, expected) => {
    const fixture = await openWriteFixture();
    await fixture.create('services', service('a', { ...web(...ports), type: 'NodePort' }));
    expect(await portKeys(fixture)).toEqual(expected);
  });

  it('are chosen once per port number', async () => {
    const fixture = await openWriteFixture();
    const ports = [
      { name: 'x', port: 80 },
      { name: 'y', port: 80, protocol: 'UDP' },
      { name: 'z', port: 81 },
    ];
    const { object } = await fixture.create('services', service('a', { ...web(...ports), type: 'NodePort' }));
    const [first, second, third] = nodePorts(object);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    // The lower band of 30000-32767, which is for ports that requests name, has 86 ports.
    expect(Number(first)).toBeGreaterThanOrEqual(30_000 + 86);
  });
});

describe('a Service', () => {
  const holderSpec = { clusterIP: '10.0.0.9', type: 'NodePort', ports: [{ port: 80, nodePort: 31000 }] };
  const outside = 'is not in the valid range. The range of valid IPs is 10.0.0.0/24';
  const cases: readonly (readonly [spec: JsonObject, field: string, message: string])[] = [
    [{ ...web(), clusterIP: '10.0.0.9' }, 'spec.clusterIPs', 'failed to allocate IP 10.0.0.9: provided IP is already allocated'],
    [{ ...web(), clusterIP: '010.00.0.009' }, 'spec.clusterIPs', 'failed to allocate IP 010.00.0.009: provided IP is already allocated'],
    [
      { ...web(), clusterIP: '::ffff:10.0.0.9' },
      'spec.clusterIPs',
      'failed to allocate IP ::ffff:10.0.0.9: provided IP is already allocated',
    ],
    [{ ...web(), clusterIP: '10.0.0.1' }, 'spec.clusterIPs', 'failed to allocate IP 10.0.0.1: provided IP is already allocated'],
    [{ ...web(), clusterIP: '10.0.0.0' }, 'spec.clusterIPs', `failed to allocate IP 10.0.0.0: the provided IP (10.0.0.0) ${outside}`],
    [{ ...web(), clusterIP: '10.0.0.255' }, 'spec.clusterIPs', `failed to allocate IP 10.0.0.255: the provided IP (10.0.0.255) ${outside}`],
    [{ ...web(), clusterIP: '10.1.0.1' }, 'spec.clusterIPs', `failed to allocate IP 10.1.0.1: the provided IP (10.1.0.1) ${outside}`],
    [{ ...web({ port: 80, nodePort: 31000 }), type: 'NodePort' }, 'spec.ports[0].nodePort', 'provided port is already allocated'],
    [
      { ...web({ port: 80, nodePort: 20000 }), type: 'NodePort' },
      'spec.ports[0].nodePort',
      'provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      { ...web({ name: 'x', port: 80, nodePort: 31006 }, { name: 'y', port: 81, protocol: 'UDP', nodePort: 31006 }), type: 'NodePort' },
      'spec.ports[1].nodePort',
      'provided port is already allocated',
    ],
    [
      { ...web(), type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 },
      'spec.healthCheckNodePort',
      'failed to allocate requested HealthCheck NodePort 31000: provided port is already allocated',
    ],
    [
      { ...web({ port: 80, nodePort: 31016 }), type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31016 },
      'spec.healthCheckNodePort',
      'failed to allocate requested HealthCheck NodePort 31016: provided port is already allocated',
    ],
  ];
  it.each(cases)('with the spec %j is rejected for %s', async (spec, field, message) => {
    const fixture = await openWriteFixture();
    await fixture.create('services', service('holder', holderSpec));
    const before = await allocationKeys(fixture);
    const answer = await refusalStatus(fixture.create('services', service('a', spec)));
    expect(answer).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { causes: [{ field, message: expect.stringContaining(message) }] },
    });
    expect(await allocationKeys(fixture)).toEqual(before);
  });

  it('is rejected when addresses, node ports or health check node ports are exhausted', async () => {
    const fixture = await openWriteFixture({ ranges: '10.0.0.0/29', nodePorts: '30000-30001' });
    await fixture.create('services', service('a', { ...web({ name: 'x', port: 80 }, { name: 'y', port: 81 }), type: 'NodePort' }));
    const refusalOf = (spec: JsonObject): Promise<object> => refusalStatus(fixture.create('services', service('b', spec)));
    expect(await refusalOf({ ...web(), type: 'NodePort' })).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a nodePort: range is full',
    });
    const withHealthCheck = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, externalTrafficPolicy: 'Local' };
    expect(await refusalOf({ ...web(), ...withHealthCheck })).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full',
    });
    // The range has six addresses, of which one is reserved and one is that of the Service `a`.
    for (const name of ['c', 'd', 'e', 'f']) await fixture.create('services', service(name, web()));
    expect(await refusalOf(web())).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a serviceIP: range is full',
    });
    await fixture.remove('services', 'c');
    await fixture.create('services', service('g', web()));
    expect(await allocationFindings(fixture)).toEqual([]);
  });

  it('with more ports than the keys of a transaction is rejected with a limit on the ports', async () => {
    const fixture = await openWriteFixture();
    fixture.store.maxOperations = 128;
    const ports = Array.from({ length: 130 }, (_, index) => ({ name: `p${index}`, port: index + 1 }));
    const answer = await refusalStatus(fixture.create('services', service('a', { ...web(...ports), type: 'NodePort' })));
    expect(answer).toMatchObject({ code: 422, message: 'Service "a" is invalid: spec.ports: Too many: 131: must have at most 125 items' });
    expect(await allocationKeys(fixture)).toEqual({});
    // The first port outside the lower band is free again.
    expect(fixture.allocator.ports.pickFree(0)).toBe('ports/30086');
  });
});

describe('an update of a Service', () => {
  it('keeps unchanged node ports, allocates new ones and releases removed ones', async () => {
    const fixture = await openWriteFixture();
    const put = async (spec: JsonObject): Promise<JsonObject> =>
      (await fixture.update('services', 'a', await withSpec(fixture, 'a', spec))).object;
    await fixture.create('services', service('a', { ...web({ name: 'x', port: 80, nodePort: 31001 }), type: 'NodePort' }));
    await put(web({ name: 'x', port: 80, nodePort: 31001 }, { name: 'y', port: 81, nodePort: 31001, protocol: 'UDP' }));
    expect(await portKeys(fixture)).toEqual({ 'ports/31001': 'a TCP UDP' });
    await put(web({ name: 'x', port: 80, nodePort: 31002 }, { name: 'y', port: 80, nodePort: 31003, protocol: 'UDP' }));
    expect(await portKeys(fixture)).toEqual({ 'ports/31002': 'a TCP', 'ports/31003': 'a UDP' });
    await put(web({ name: 'x', port: 80, nodePort: 31003 }, { name: 'y', port: 80, nodePort: 31002, protocol: 'UDP' }));
    expect(await portKeys(fixture)).toEqual({ 'ports/31002': 'a UDP', 'ports/31003': 'a TCP' });
    const [first, second] = nodePorts(await put(web({ name: 'n1', port: 80 }, { name: 'n2', port: 80, protocol: 'UDP' })));
    expect(first).not.toBe(second);
    expect(Object.keys(await portKeys(fixture)).sort()).toEqual([`ports/${String(first)}`, `ports/${String(second)}`].sort());
    expect(await allocationFindings(fixture)).toEqual([]);
  });

  it('cannot move the health check node port to a port', async () => {
    const fixture = await openWriteFixture();
    const spec = { ...web({ name: 'x', port: 80 }), type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31100 };
    await fixture.create('services', service('a', spec));
    const requested = await withSpec(fixture, 'a', {
      ...web({ name: 'x', port: 80, nodePort: 31100 }),
      externalTrafficPolicy: 'Cluster',
      healthCheckNodePort: null,
    });
    const answer = await refusalStatus(fixture.update('services', 'a', requested));
    expect(answer.message).toContain('spec.ports[0].nodePort: Invalid value: 31100: provided port is already allocated');
  });

  it('allocates and releases addresses when the type or the IP families change', async () => {
    const fixture = await openWriteFixture({ ranges: '10.0.0.0/24,fd00::/108' });
    const put = async (spec: JsonObject): Promise<JsonObject> =>
      (await fixture.update('services', 'a', await withSpec(fixture, 'a', spec))).object;
    const count = async (): Promise<number> => Object.keys(await allocationKeys(fixture)).length;
    const { object } = await fixture.create('services', service('a', { ...web(), ipFamilyPolicy: 'PreferDualStack' }));
    expect(specOf(object)['clusterIPs']).toEqual([expect.stringMatching(/^10\./), expect.stringMatching(/^fd00:/)]);
    expect(await count()).toBe(2);
    await put({ ipFamilyPolicy: 'SingleStack' });
    expect(await count()).toBe(1);
    const upgraded = await put({ ipFamilyPolicy: 'RequireDualStack', clusterIPs: [addressOf(object), 'fd00::000f'] });
    expect(specOf(upgraded)['clusterIPs']).toEqual([specOf(object)['clusterIP'], 'fd00::000f']);
    expect(await allocationKeys(fixture)).toMatchObject({ 'ips/fd00::f': 'a' });
    await put({ type: 'ExternalName', externalName: 'example.org', clusterIP: null, clusterIPs: null });
    expect(await allocationKeys(fixture)).toEqual({});
    await put({ type: 'ClusterIP', clusterIP: '10.0.0.77', externalName: null });
    expect(await allocationKeys(fixture)).toEqual({ 'ips/10.0.0.77': 'a' });
    expect(await allocationFindings(fixture)).toEqual([]);
  });

  it('allocates nothing for a headless or ExternalName Service', async () => {
    const fixture = await openWriteFixture();
    await fixture.create('services', service('a', { ...web(), clusterIP: 'None' }));
    await fixture.create(
      'services',
      service('b', { type: 'ExternalName', externalName: 'example.org', ports: [{ port: 80, nodePort: 31012 }] }),
    );
    expect(await allocationKeys(fixture)).toEqual({});
  });
});

it('a deleted Service keeps its address until its finalizers are removed', async () => {
  const fixture = await openWriteFixture();
  await fixture.create('services', {
    metadata: { name: 'a', finalizers: ['example.org/x'] },
    spec: { ...web(), clusterIP: '10.0.0.50' },
  });
  await fixture.remove('services', 'a');
  expect(await allocationKeys(fixture)).toEqual({ 'ips/10.0.0.50': 'a' });
  await fixture.patch('services', 'a', 'merge', { metadata: { finalizers: null } });
  expect(await fixture.stored('services', 'a')).toBeUndefined();
  expect(await allocationKeys(fixture)).toEqual({});
});

it('the allocator counts allocations and errors, without dry runs', async () => {
  const fixture = await openWriteFixture();
  await fixture.create('services', service('a', { ...web({ port: 80, nodePort: 31000 }), type: 'NodePort' }));
  await fixture.create('services', service('b', web()), { dryRun: true });
  await refusalStatus(fixture.create('services', service('c', { ...web(), clusterIP: '10.9.9.9' })));
  await refusalStatus(fixture.create('services', service('d', { ...web(), clusterIP: '10.9.9.9' }), { dryRun: true }));
  const [addressCounts, portCounts] = [...fixture.allocator.counts.values()];
  expect(addressCounts).toEqual({ allocations: { dynamic: 1, static: 0 }, errors: { dynamic: 0, static: 1 }, allocated: 1 });
  expect(portCounts).toEqual({ allocations: { dynamic: 0, static: 1 }, errors: { dynamic: 0, static: 0 }, allocated: 1 });
});
