/** The address of a Service, from its ports and EndpointSlices in either dialect. */
import type { JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { createServiceResolver, type ResolvedAddress } from './service-resolver';

const entry = (object: JsonObject, labels: Record<string, string> = {}): Entry => ({
  key: 'not read',
  revision: 1,
  bytes: Buffer.from(JSON.stringify(object)),
  labels,
  fields: {},
  isDialectSensitive: false,
});

const services = new Map<string, Entry>([
  ['n/s', entry({ spec: { ports: [{ port: 443, name: 'web' }, { port: 80 }] } })],
  ['n/without-slices', entry({ spec: { ports: [{ port: 443, name: 'web' }] } })],
  ['n/external', entry({ spec: { type: 'ExternalName', externalName: 'hooks.example.com' } })],
]);

/** Addresses of endpoints that must not be called. */
const NOT_PROXYABLE = ['localhost', '127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '64:ff9b::7f00:1', '10.0.0.6:1@127.0.0.1'];
const WEB_PORT = { name: 'web', port: 1 };

const LABEL = 'platform.io/service-name';
const UPSTREAM_LABEL = 'kubernetes.io/service-name';

const slicesOfService: readonly Entry[] = [
  entry(
    {
      ports: [{ name: 'web', port: 8443 }],
      endpoints: [
        { addresses: ['10.0.0.1', '10.0.0.9'] },
        { addresses: ['10.0.0.2'], conditions: { ready: false } },
        { addresses: ['10.0.0.3'], conditions: { ready: true } },
      ],
    },
    { [UPSTREAM_LABEL]: 's' },
  ),
  entry(
    {
      ports: [
        { name: 'web', port: 9443 },
        { name: 'other', port: 1 },
      ],
      endpoints: [{ addresses: ['fd00::1'] }],
    },
    { [LABEL]: 's' },
  ),
  entry({ ports: [WEB_PORT], endpoints: NOT_PROXYABLE.map((address) => ({ addresses: [address] })) }, { [UPSTREAM_LABEL]: 's' }),
];

const otherSlices: readonly Entry[] = [
  entry({ ports: [WEB_PORT], endpoints: [{ addresses: ['10.0.0.4'] }] }, { [LABEL]: 'other' }),
  entry({ ports: [WEB_PORT], endpoints: [{ addresses: ['10.0.0.5'] }] }, { 'example.com/service-name': 's' }),
];

/** Resolves a Service of the namespace `n`; `float` is the random number that chooses among its endpoints. */
function resolve(name: string, port: number, float = 0): ResolvedAddress | { readonly error: string } {
  const random = { float: () => float, uuid: () => '', string: () => '' };
  const slices = [...slicesOfService, ...otherSlices];
  const resolver = createServiceResolver({ service: (key) => services.get(key), slices: () => slices, random });
  return resolver({ namespace: 'n', name, port });
}

it('createServiceResolver chooses among the ready endpoints of the port, with the label in either spelling', () => {
  // There are three.
  expect(resolve('s', 443, 0)).toEqual({ host: '10.0.0.1', port: 8443 });
  expect(resolve('s', 443, 0.34)).toEqual({ host: '10.0.0.3', port: 8443 });
  expect(resolve('s', 443, 0.67)).toEqual({ host: 'fd00::1', port: 9443 });
  expect(resolve('s', 443, 0.99)).toEqual({ host: 'fd00::1', port: 9443 });
});

it.each([
  ['none', 443, 'service "none" not found'],
  ['s', 444, 'no service port 444 found for service "s"'],
  ['s', 80, 'no endpoints available for service "s"'],
  ['without-slices', 443, 'no endpoints available for service "without-slices"'],
])('createServiceResolver reports why Service %s cannot be resolved at port %d', (name, port, error) =>
  expect(resolve(name, port)).toEqual({ error }),
);

it('createServiceResolver returns the name of an ExternalName Service as host', () =>
  expect(resolve('external', 443)).toEqual({ host: 'hooks.example.com', port: 443 }));
