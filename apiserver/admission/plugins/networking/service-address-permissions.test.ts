/**
 * Permissions to set externalIPs and load balancer addresses of a Service, for every kind of write, and writes that
 * need none.
 */
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../../test/support/store/write-fixture';
import type { JsonObject } from '../../../../shared/values/json';
import type { ServiceAddressUse } from './service-address-permissions';

const PORTS = [{ port: 80, protocol: 'TCP' }];
const EXTERNAL_REJECTION = 'services "a" is forbidden: Use of external IPs is denied by admission control';
const BALANCER_REJECTION = 'services "a" is forbidden: Use of load balancer addresses is denied by admission control';

let isAllowed: boolean;
let checks: ServiceAddressUse[];
let fixture: WriteFixture;
beforeEach(async () => {
  isAllowed = true;
  checks = [];
  fixture = await openWriteFixture({
    mayUseAddresses: (_user, use) => {
      checks.push(use);
      return isAllowed;
    },
  });
});

const service = (spec: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec: { ports: PORTS, ...spec } });
const ingress = (...items: JsonObject[]): JsonObject => ({ status: { loadBalancer: { ingress: items } } });
const balancer: JsonObject = { type: 'LoadBalancer', externalIPs: ['192.0.2.1', '192.0.2.2'] };
const twoIngressPoints = ingress({ ip: '192.0.2.7' }, { hostname: 'a.example.com' });

/** Creates a load balancer with two external addresses and two status addresses, then denies all permissions. */
async function createLoadBalancer(): Promise<void> {
  await fixture.create('services', service(balancer));
  await fixture.patch('services', 'a', 'merge', twoIngressPoints, { subresource: 'status' });
  isAllowed = false;
  await fixture.cache.catchUp();
}

type Write = () => Promise<unknown>;
const status = { subresource: 'status' } as const;
const apply = (body: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, ...body });

const ADDS_ADDRESS: readonly (readonly [string, string, Write])[] = [
  ['an update', EXTERNAL_REJECTION, () => fixture.update('services', 'a', service({ ...balancer, externalIPs: ['192.0.2.3'] }))],
  [
    'a merge patch',
    EXTERNAL_REJECTION,
    () => fixture.patch('services', 'a', 'merge', { spec: { externalIPs: ['192.0.2.1', '192.0.2.3'] } }),
  ],
  [
    'a JSON patch',
    EXTERNAL_REJECTION,
    () => fixture.patch('services', 'a', 'json', [{ op: 'add', path: '/spec/externalIPs/-', value: '192.0.2.3' }]),
  ],
  ['a strategic patch', EXTERNAL_REJECTION, () => fixture.patch('services', 'a', 'strategic', { spec: { externalIPs: ['192.0.2.3'] } })],
  [
    'an apply',
    EXTERNAL_REJECTION,
    () => fixture.patch('services', 'a', 'apply', apply({ spec: { externalIPs: ['192.0.2.3'] } }), { force: true }),
  ],
  ['a dry run', EXTERNAL_REJECTION, () => fixture.update('services', 'a', service({ externalIPs: ['192.0.2.3'] }), { dryRun: true })],
  [
    'a status with another address',
    BALANCER_REJECTION,
    () => fixture.patch('services', 'a', 'merge', ingress({ ip: '192.0.2.8' }), status),
  ],
  [
    'a status with another name',
    BALANCER_REJECTION,
    () => fixture.patch('services', 'a', 'merge', ingress({ hostname: 'b.example.com' }), status),
  ],
  [
    'an applied status',
    BALANCER_REJECTION,
    () => fixture.patch('services', 'a', 'apply', apply(ingress({ ip: '192.0.2.8' })), { ...status, force: true }),
  ],
  [
    'an update of the status',
    BALANCER_REJECTION,
    () => fixture.update('services', 'a', { ...service(balancer), ...ingress({ ip: '::1' }) }, status),
  ],
];

describe('Service address check', () => {
  it.each(ADDS_ADDRESS)('rejects %s that adds an address without permission', async (_title, message, write) => {
    await createLoadBalancer();
    expect(await refusalStatus(write())).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message,
      details: { name: 'a', kind: 'services' },
    });
  });

  it.each(ADDS_ADDRESS)('admits %s that adds an address with permission', async (_title, _message, write) => {
    await createLoadBalancer();
    isAllowed = true;
    await write();
  });

  const NEEDS_NO_PERMISSION: readonly (readonly [string, Write])[] = [
    ['changes labels', () => fixture.patch('services', 'a', 'merge', { metadata: { labels: { x: 'y' } } })],
    ['removes an external address', () => fixture.patch('services', 'a', 'merge', { spec: { externalIPs: ['192.0.2.2'] } })],
    ['removes all external addresses', () => fixture.patch('services', 'a', 'merge', { spec: { externalIPs: null } })],
    ['reorders external addresses', () => fixture.patch('services', 'a', 'merge', { spec: { externalIPs: ['192.0.2.2', '192.0.2.1'] } })],
    [
      'removes a load balancer address from the status',
      () => fixture.patch('services', 'a', 'merge', ingress({ ip: '192.0.2.7' }), status),
    ],
    ['empties the status', () => fixture.patch('services', 'a', 'merge', { status: null }, status)],
    [
      'sends a status to the main endpoint, where it is ignored',
      () => fixture.patch('services', 'a', 'merge', ingress({ ip: '192.0.2.8' })),
    ],
    ['changes the Service type', () => fixture.patch('services', 'a', 'merge', { spec: { type: 'NodePort' } })],
  ];

  it.each(NEEDS_NO_PERMISSION)('needs no permission for a write that %s', async (_title, write) => {
    await createLoadBalancer();
    checks = [];
    await write();
    expect(checks).toEqual([]);
  });

  it('asks for permission on create, with the namespace and name of the Service', async () => {
    isAllowed = false;
    expect(await refusalStatus(fixture.create('services', service({ externalIPs: ['192.0.2.1'] })))).toMatchObject({
      code: 403,
      message: EXTERNAL_REJECTION,
    });
    await fixture.create('services', service({}));
    expect(checks[0]).toEqual({ subresource: 'externalips', namespace: 'ns', name: 'a' });
  });

  it('rejects with the generated name of the Service', async () => {
    isAllowed = false;
    const body = { metadata: { generateName: 'b-' }, spec: { ports: PORTS, externalIPs: ['192.0.2.1'] } };
    const { message } = await refusalStatus(fixture.create('services', body));
    expect(message).toMatch(/^services "b-\S{5}" is forbidden: Use of external IPs is denied by admission control$/);
  });

  it('runs after validation of the addresses', async () => {
    isAllowed = false;
    expect(await refusalStatus(fixture.create('services', service({ externalIPs: ['x'] })))).toMatchObject({ code: 422 });
  });
});
