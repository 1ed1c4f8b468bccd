/**
 * Permissions to set externalIPs and load balancer addresses of a Service, for every kind of write, and writes that
 * need none.
 */
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../../test/support/store/write-fixture';
import { useForEachTest } from '../../../../test/support/use-resource';
import type { JsonObject } from '../../../../shared/values/json';
import type { ServiceAddressUse } from './service-address-permissions';

const PORTS = [{ port: 80, protocol: 'TCP' }];
const EXTERNAL_REJECTION = 'services "a" is forbidden: Use of external IPs is denied by admission control';
const BALANCER_REJECTION = 'services "a" is forbidden: Use of load balancer addresses is denied by admission control';

/** A registry, the answer to permission checks, and the checks so far. */
interface Fixture {
  readonly registry: WriteFixture;
  isAllowed: boolean;
  checks: ServiceAddressUse[];
}

async function openFixture(): Promise<Fixture> {
  const permissions: Omit<Fixture, 'registry'> = { isAllowed: true, checks: [] };
  const registry = await openWriteFixture({
    canUseAddresses: (_user, use) => {
      permissions.checks.push(use);
      return permissions.isAllowed;
    },
  });
  return Object.assign(permissions, { registry });
}

const fixture = useForEachTest(openFixture);

/** The Service `a`. */
const service = (spec: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec: { ports: PORTS, ...spec } });
/** A Service status with these ingress points. */
const ingress = (...items: JsonObject[]): JsonObject => ({ status: { loadBalancer: { ingress: items } } });
/** The spec of the load balancer before the write. */
const balancer: JsonObject = { type: 'LoadBalancer', externalIPs: ['192.0.2.1', '192.0.2.2'] };
const twoIngressPoints = ingress({ ip: '192.0.2.7' }, { hostname: 'a.example.com' });

/** Creates a load balancer with two external addresses and two status addresses, then denies all permissions. */
async function createLoadBalancer(): Promise<void> {
  await fixture().registry.create('services', service(balancer));
  await fixture().registry.patch('services', 'a', 'merge', twoIngressPoints, { subresource: 'status' });
  fixture().isAllowed = false;
  await fixture().registry.cache.catchUp();
}

type Write = () => Promise<unknown>;
const STATUS = { subresource: 'status' } as const;
/** The body of an apply. */
const apply = (body: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, ...body });

/** Writes that add an address, with the message of their rejection. */
const ADDS_ADDRESS: readonly (readonly [title: string, message: string, write: Write])[] = [
  ['an update', EXTERNAL_REJECTION, () => fixture().registry.update('services', 'a', service({ ...balancer, externalIPs: ['192.0.2.3'] }))],
  [
    'a merge patch',
    EXTERNAL_REJECTION,
    () => fixture().registry.patch('services', 'a', 'merge', { spec: { externalIPs: ['192.0.2.1', '192.0.2.3'] } }),
  ],
  [
    'a JSON patch',
    EXTERNAL_REJECTION,
    () => fixture().registry.patch('services', 'a', 'json', [{ op: 'add', path: '/spec/externalIPs/-', value: '192.0.2.3' }]),
  ],
  [
    'a strategic patch',
    EXTERNAL_REJECTION,
    () => fixture().registry.patch('services', 'a', 'strategic', { spec: { externalIPs: ['192.0.2.3'] } }),
  ],
  [
    'an apply',
    EXTERNAL_REJECTION,
    () => fixture().registry.patch('services', 'a', 'apply', apply({ spec: { externalIPs: ['192.0.2.3'] } }), { force: true }),
  ],
  [
    'a dry run',
    EXTERNAL_REJECTION,
    () => fixture().registry.update('services', 'a', service({ externalIPs: ['192.0.2.3'] }), { dryRun: true }),
  ],
  [
    'a status with another address',
    BALANCER_REJECTION,
    () => fixture().registry.patch('services', 'a', 'merge', ingress({ ip: '192.0.2.8' }), STATUS),
  ],
  [
    'a status with another name',
    BALANCER_REJECTION,
    () => fixture().registry.patch('services', 'a', 'merge', ingress({ hostname: 'b.example.com' }), STATUS),
  ],
  [
    'an applied status',
    BALANCER_REJECTION,
    () => fixture().registry.patch('services', 'a', 'apply', apply(ingress({ ip: '192.0.2.8' })), { ...STATUS, force: true }),
  ],
  [
    'an update of the status',
    BALANCER_REJECTION,
    () => fixture().registry.update('services', 'a', { ...service(balancer), ...ingress({ ip: '::1' }) }, STATUS),
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
    fixture().isAllowed = true;
    await write();
  });

  const NEEDS_NO_PERMISSION: readonly (readonly [title: string, write: Write])[] = [
    ['changes labels', () => fixture().registry.patch('services', 'a', 'merge', { metadata: { labels: { x: 'y' } } })],
    ['removes an external address', () => fixture().registry.patch('services', 'a', 'merge', { spec: { externalIPs: ['192.0.2.2'] } })],
    ['removes all external addresses', () => fixture().registry.patch('services', 'a', 'merge', { spec: { externalIPs: null } })],
    [
      'reorders external addresses',
      () => fixture().registry.patch('services', 'a', 'merge', { spec: { externalIPs: ['192.0.2.2', '192.0.2.1'] } }),
    ],
    [
      'removes a load balancer address from the status',
      () => fixture().registry.patch('services', 'a', 'merge', ingress({ ip: '192.0.2.7' }), STATUS),
    ],
    ['empties the status', () => fixture().registry.patch('services', 'a', 'merge', { status: null }, STATUS)],
    [
      'sends a status to the main endpoint, where it is ignored',
      () => fixture().registry.patch('services', 'a', 'merge', ingress({ ip: '192.0.2.8' })),
    ],
    ['changes the Service type', () => fixture().registry.patch('services', 'a', 'merge', { spec: { type: 'NodePort' } })],
  ];

  it.each(NEEDS_NO_PERMISSION)('needs no permission for a write that %s', async (_title, write) => {
    await createLoadBalancer();
    fixture().checks = [];
    await write();
    expect(fixture().checks).toEqual([]);
  });

  it('asks for permission on create, with the namespace and name of the Service', async () => {
    fixture().isAllowed = false;
    expect(await refusalStatus(fixture().registry.create('services', service({ externalIPs: ['192.0.2.1'] })))).toMatchObject({
      code: 403,
      message: EXTERNAL_REJECTION,
    });
    await fixture().registry.create('services', service({}));
    const [firstCheck] = fixture().checks;
    expect(firstCheck).toEqual({ subresource: 'externalips', namespace: 'ns', name: 'a' });
  });

  it('rejects with the generated name of the Service', async () => {
    fixture().isAllowed = false;
    const body = { metadata: { generateName: 'b-' }, spec: { ports: PORTS, externalIPs: ['192.0.2.1'] } };
    const { message } = await refusalStatus(fixture().registry.create('services', body));
    expect(message).toMatch(/^services "b-\S{5}" is forbidden: Use of external IPs is denied by admission control$/);
  });

  it('runs after validation of the addresses', async () => {
    fixture().isAllowed = false;
    expect(await refusalStatus(fixture().registry.create('services', service({ externalIPs: ['x'] })))).toMatchObject({ code: 422 });
  });
});
