/**
 * What the rules bear with because it was stored before they were made (checked against release 1.31.1 with objects planted in its store), and what
 * names in two spellings and updates that change nothing do to EndpointSlices.
 */
import type { JsonObject } from '../../shared/values/json';
import { writeFixture } from '../../test/support/write-fixture';
import { endpointSlice } from './discovery/endpoint-slice';
import { ingress } from './networking/ingress';
import { networkPolicy } from './networking/network-policy';
import type { Strategy, StrategyContext } from '../registry/strategy';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { featureGates } from '../../shared/cli/feature-gates';

const context: StrategyContext = {
  names: GENERATED_NAMES.platform,
  user: { name: 'u', groups: [] },
  now: 0,
  serviceFamilies: ['IPv4'],
  warn: () => undefined,
  gates: featureGates(),
};

function wrong(strategy: Strategy, object: JsonObject, old: JsonObject): readonly string[] {
  return (strategy.validate?.(object, old, context) ?? []).map(({ field }) => field);
}

const service = { service: { name: 'a', port: { number: 1 } } };
const tls = (secretName: string): JsonObject => ({ spec: { defaultBackend: service, tls: [{ secretName }] } });
const rule = (host: string, path: string): JsonObject => ({ host, http: { paths: [{ path, pathType: 'Prefix', backend: service }] } });
const rules = (...list: JsonObject[]): JsonObject => ({ spec: { rules: list } });

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ['a wrong secret after a wrong one', tls('B/'), tls('A'), []],
  ['a wrong secret after a good one', tls('B/'), tls('a'), ['spec.tls[0].secretName']],
  ['wrong paths of a wildcard after such', rules(rule('*.b', 'x')), rules(rule('*.a', 'y')), []],
  [
    'wrong paths of a plain host after those of a wildcard',
    rules(rule('b', 'x')),
    rules(rule('*.a', 'y')),
    ['spec.rules[0].http.paths[0].path'],
  ],
  ['wrong paths of a wildcard after good ones', rules(rule('*.b', 'x')), rules(rule('*.a', '/')), ['spec.rules[0].http.paths[0].path']],
  [
    'wrong paths of a wildcard after those of a plain host',
    rules(rule('*.b', 'x')),
    rules(rule('a', 'y')),
    ['spec.rules[0].http.paths[0].path'],
  ],
  ['a wrong wildcard after itself', rules(rule('*', '/')), rules(rule('*', '/')), ['spec.rules[0].host']],
  [
    'a wrong class after itself',
    { spec: { defaultBackend: service, ingressClassName: 'A' } },
    { spec: { ingressClassName: 'A' } },
    ['spec.ingressClassName'],
  ],
])('Ingress: %s', (_title, object, old, fields) => {
  expect(wrong(ingress, object, old)).toEqual(fields);
});

const selecting = (key: string, ...values: string[]): JsonObject => ({ matchExpressions: [{ key, operator: 'In', values }] });
const selector = (podSelector: JsonObject): JsonObject => ({ spec: { podSelector } });
const peer = (podSelector: JsonObject): JsonObject => ({ spec: { podSelector: {}, ingress: [{ from: [{ podSelector }] }] } });

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ['a wrong value after another', selector(selecting('a', '-')), selector(selecting('a', '_')), []],
  ['a wrong value after a wrong key', selector(selecting('a', '-')), selector(selecting('-', 'a')), []],
  [
    'a wrong value after a good one',
    selector(selecting('a', '-')),
    selector(selecting('a', 'b')),
    ['spec.podSelector.matchExpressions[0].values[0]'],
  ],
  ['a wrong value of a peer after one of the policy', peer(selecting('a', '-')), selector(selecting('a', '-')), []],
  [
    'a wrong value of a peer after itself',
    peer(selecting('a', '-')),
    peer(selecting('a', '-')),
    ['spec.ingress[0].from[0].podSelector.matchExpressions[0].values[0]'],
  ],
  [
    'a wrong key after a wrong value',
    selector(selecting('-', 'a')),
    selector(selecting('a', '-')),
    ['spec.podSelector.matchExpressions[0].key'],
  ],
  [
    'a wrong label after itself',
    selector({ matchLabels: { a: '-' } }),
    selector({ matchLabels: { a: '-' } }),
    ['spec.podSelector.matchLabels'],
  ],
])('NetworkPolicy: %s', (_title, object, old, fields) => {
  expect(wrong(networkPolicy, object, old)).toEqual(fields);
});

describe('EndpointSlice', () => {
  const endpoint = { addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b', 'kubernetes.io/hostname': 'n' } };
  const slice = (...endpoints: JsonObject[]): JsonObject => ({ addressType: 'IPv4', endpoints: structuredClone(endpoints) });

  it.each<[string, JsonObject[], JsonObject[]]>([
    ['the endpoints stay, and so does their topology', [endpoint], [endpoint]],
    [
      'of a changed endpoint only the node stays',
      [{ ...endpoint, hostname: 'h' }],
      [{ addresses: ['10.0.0.1'], hostname: 'h', nodeName: 'n' }],
    ],
    ['a node that is named stays', [{ ...endpoint, nodeName: 'm' }], [{ addresses: ['10.0.0.1'], nodeName: 'm' }]],
    ['a new endpoint on a known node', [{ ...endpoint, addresses: ['10.0.0.2'] }], [{ addresses: ['10.0.0.2'], nodeName: 'n' }]],
    [
      'a new endpoint on an unknown node',
      [{ addresses: ['10.0.0.2'], deprecatedTopology: { 'platform.io/hostname': 'x' } }],
      [{ addresses: ['10.0.0.2'] }],
    ],
  ])('topology of an older version: %s', (_title, endpoints, kept) => {
    const object = slice(...endpoints);
    endpointSlice.update?.prepareForUpdate?.(object, slice(endpoint), context);
    expect(object['endpoints']).toEqual(kept);
  });

  it('takes the label of its service in either spelling, and keeps it', async () => {
    const fixture = await writeFixture();
    for (const [name, label] of Object.entries({ a: 'platform.io/service-name', b: 'kubernetes.io/service-name' })) {
      const { object } = await fixture.create('endpointslices', {
        metadata: { name, labels: { [label]: 'web' } },
        addressType: 'IPv4',
        endpoints: [],
      });
      expect(object['metadata']).toMatchObject({ labels: { [label]: 'web' }, generation: 1 });
    }
  });

  it('writes nothing when nothing changes', async () => {
    const fixture = await writeFixture();
    const body = { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 1 }] };
    const { entry } = await fixture.create('endpointslices', body);
    await fixture.cache.catchUp();
    expect((await fixture.update('endpointslices', 'a', body)).entry.revision).toBe(entry.revision);
  });
});
