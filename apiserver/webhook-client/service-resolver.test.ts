/** The address of a Service, from its ports and EndpointSlices in either dialect. */
import type { JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { createServiceResolver, type ResolvedAddress } from './service-resolver';

const entry = (key: string, object: JsonObject, labels: Record<string, string> = {}): Entry => ({
  key,
  revision: 1,
  bytes: Buffer.from(JSON.stringify(object)),
  labels,
  fields: {},
  isDialectSensitive: false,
});

const services = new Map<string, Entry>([
  ['n/s', entry('n/s', { spec: { ports: [{ port: 443, name: 'web' }, { port: 80 }] } })],
  ['n/named', entry('n/named', { spec: { type: 'ExternalName', externalName: 'hooks.example.com' } })],
]);

/** Addresses of endpoints that must not be called. */
const NOT_PROXYABLE = ['localhost', '127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '64:ff9b::7f00:1', '10.0.0.6:1@127.0.0.1'];
const WEB_PORT = { name: 'web', port: 1 };

const slices: readonly Entry[] = [
  entry(
    'n/a',
    {
      ports: [{ name: 'web', port: 8443 }],
      endpoints: [
        { addresses: ['10.0.0.1', '10.0.0.9'] },
        { addresses: ['10.0.0.2'], conditions: { ready: false } },
        { addresses: ['10.0.0.3'], conditions: { ready: true } },
      ],
    },
    { 'kubernetes.io/service-name': 's' },
  ),
  entry(
    'n/b',
    {
      ports: [
        { name: 'web', port: 9443 },
        { name: 'other', port: 1 },
      ],
      endpoints: [{ addresses: ['fd00::1'] }],
    },
    { 'platform.io/service-name': 's' },
  ),
  entry('n/c', { ports: [WEB_PORT], endpoints: [{ addresses: ['10.0.0.4'] }] }, { 'platform.io/service-name': 'other' }),
  entry('n/d', { ports: [WEB_PORT], endpoints: [{ addresses: ['10.0.0.5'] }] }, { 'example.com/service-name': 's' }),
  entry(
    'n/e',
    { ports: [WEB_PORT], endpoints: NOT_PROXYABLE.map((text) => ({ addresses: [text] })) },
    { 'kubernetes.io/service-name': 's' },
  ),
];

/** `float` is the random number that chooses among the endpoints. */
function resolve(name: string, port: number, float = 0): ResolvedAddress | { readonly error: string } {
  const random = { float: () => float, uuid: () => '', string: () => '' };
  return createServiceResolver({ service: (key) => services.get(key), slices: () => slices, random })({ namespace: 'n', name, port });
}

it('createServiceResolver chooses among the ready endpoints of the port, with the label in either spelling', () => {
  expect(resolve('s', 443, 0)).toEqual({ host: '10.0.0.1', port: 8443 });
  expect(resolve('s', 443, 0.34)).toEqual({ host: '10.0.0.3', port: 8443 });
  expect(resolve('s', 443, 0.67)).toEqual({ host: 'fd00::1', port: 9443 });
  expect(resolve('s', 443, 0.99)).toEqual({ host: 'fd00::1', port: 9443 });
});

it.each([
  ['none', 443, 'service "none" not found'],
  ['s', 444, 'no service port 444 found for service "s"'],
  ['s', 80, 'no endpoints available for service "s"'],
])('createServiceResolver reports why Service %s cannot be resolved at port %d', (name, port, fault) =>
  expect(resolve(name, port)).toEqual({ error: fault }),
);

it('createServiceResolver returns the name of an ExternalName Service as host', () =>
  expect(resolve('named', 443)).toEqual({ host: 'hooks.example.com', port: 443 }));
