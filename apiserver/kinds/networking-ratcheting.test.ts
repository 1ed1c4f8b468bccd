/**
 * Tests ratcheting validation of networking objects: invalid values that are already stored (checked against release
 * 1.31.1 with objects written directly to its store). Also tests EndpointSlices with names in either spelling and with
 * updates that change nothing.
 */
import type { JsonObject } from '../../shared/values/json';
import { openWriteFixture } from '../../test/support/store/write-fixture';
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

/** The fields of the errors of an update. */
function validateUpdate(strategy: Strategy, object: JsonObject, old: JsonObject): readonly string[] {
  return (strategy.validate?.(object, old, context) ?? []).map(({ field }) => field);
}

const service = { service: { name: 'a', port: { number: 1 } } };
const tls = (secretName: string): JsonObject => ({ spec: { defaultBackend: service, tls: [{ secretName }] } });
const rule = (host: string, path: string): JsonObject => ({ host, http: { paths: [{ path, pathType: 'Prefix', backend: service }] } });
const rules = (...list: JsonObject[]): JsonObject => ({ spec: { rules: list } });

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ['accepts an invalid secretName when the old one is invalid', tls('B/'), tls('A'), []],
  ['rejects an invalid secretName when the old one is valid', tls('B/'), tls('a'), ['spec.tls[0].secretName']],
  [
    'accepts invalid paths of a wildcard host when the old ones of a wildcard host are invalid',
    rules(rule('*.b', 'x')),
    rules(rule('*.a', 'y')),
    [],
  ],
  [
    'rejects invalid paths of a plain host when only the old ones of a wildcard host are invalid',
    rules(rule('b', 'x')),
    rules(rule('*.a', 'y')),
    ['spec.rules[0].http.paths[0].path'],
  ],
  [
    'rejects invalid paths of a wildcard host when the old ones are valid',
    rules(rule('*.b', 'x')),
    rules(rule('*.a', '/')),
    ['spec.rules[0].http.paths[0].path'],
  ],
  [
    'rejects invalid paths of a wildcard host when only the old ones of a plain host are invalid',
    rules(rule('*.b', 'x')),
    rules(rule('a', 'y')),
    ['spec.rules[0].http.paths[0].path'],
  ],
  ['rejects an invalid wildcard host even when it is unchanged', rules(rule('*', '/')), rules(rule('*', '/')), ['spec.rules[0].host']],
  [
    'rejects an invalid ingressClassName even when it is unchanged',
    { spec: { defaultBackend: service, ingressClassName: 'A' } },
    { spec: { ingressClassName: 'A' } },
    ['spec.ingressClassName'],
  ],
])('an update of an Ingress %s', (_title, object, old, fields) => {
  expect(validateUpdate(ingress, object, old)).toEqual(fields);
});

const selectorWith = (key: string, ...values: string[]): JsonObject => ({ matchExpressions: [{ key, operator: 'In', values }] });
const selector = (podSelector: JsonObject): JsonObject => ({ spec: { podSelector } });
const peer = (podSelector: JsonObject): JsonObject => ({ spec: { podSelector: {}, ingress: [{ from: [{ podSelector }] }] } });

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ['accepts an invalid selector value when the old one is invalid', selector(selectorWith('a', '-')), selector(selectorWith('a', '_')), []],
  ['accepts an invalid selector value when the old key is invalid', selector(selectorWith('a', '-')), selector(selectorWith('-', 'a')), []],
  [
    'rejects an invalid selector value when the old one is valid',
    selector(selectorWith('a', '-')),
    selector(selectorWith('a', 'b')),
    ['spec.podSelector.matchExpressions[0].values[0]'],
  ],
  [
    'accepts an invalid selector value of a peer when the old value of the podSelector is invalid',
    peer(selectorWith('a', '-')),
    selector(selectorWith('a', '-')),
    [],
  ],
  [
    'rejects an invalid selector value of a peer even when it is unchanged',
    peer(selectorWith('a', '-')),
    peer(selectorWith('a', '-')),
    ['spec.ingress[0].from[0].podSelector.matchExpressions[0].values[0]'],
  ],
  [
    'rejects an invalid selector key when only the old value is invalid',
    selector(selectorWith('-', 'a')),
    selector(selectorWith('a', '-')),
    ['spec.podSelector.matchExpressions[0].key'],
  ],
  [
    'rejects an invalid label value in matchLabels even when it is unchanged',
    selector({ matchLabels: { a: '-' } }),
    selector({ matchLabels: { a: '-' } }),
    ['spec.podSelector.matchLabels'],
  ],
])('an update of a NetworkPolicy %s', (_title, object, old, fields) => {
  expect(validateUpdate(networkPolicy, object, old)).toEqual(fields);
});

describe('EndpointSlice', () => {
  const endpoint = { addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b', 'kubernetes.io/hostname': 'n' } };
  const slice = (...endpoints: JsonObject[]): JsonObject => ({ addressType: 'IPv4', endpoints: structuredClone(endpoints) });

  it.each<[string, JsonObject[], JsonObject[]]>([
    ['keeps the topology of unchanged endpoints', [endpoint], [endpoint]],
    [
      'keeps only the node name of a changed endpoint',
      [{ ...endpoint, hostname: 'h' }],
      [{ addresses: ['10.0.0.1'], hostname: 'h', nodeName: 'n' }],
    ],
    ['keeps an explicit nodeName', [{ ...endpoint, nodeName: 'm' }], [{ addresses: ['10.0.0.1'], nodeName: 'm' }]],
    [
      'sets the nodeName of a new endpoint whose topology names a node of the old endpoints',
      [{ ...endpoint, addresses: ['10.0.0.2'] }],
      [{ addresses: ['10.0.0.2'], nodeName: 'n' }],
    ],
    [
      'drops the topology of a new endpoint on an unknown node',
      [{ addresses: ['10.0.0.2'], deprecatedTopology: { 'platform.io/hostname': 'x' } }],
      [{ addresses: ['10.0.0.2'] }],
    ],
  ])('with deprecatedTopology: an update %s', (_title, endpoints, kept) => {
    const object = slice(...endpoints);
    endpointSlice.update?.prepareForUpdate?.(object, slice(endpoint), context);
    expect(object['endpoints']).toEqual(kept);
  });

  it('keeps the service-name label in the spelling in which it was created', async () => {
    const fixture = await openWriteFixture();
    for (const [name, label] of Object.entries({ a: 'platform.io/service-name', b: 'kubernetes.io/service-name' })) {
      const { object } = await fixture.create('endpointslices', {
        metadata: { name, labels: { [label]: 'web' } },
        addressType: 'IPv4',
        endpoints: [],
      });
      expect(object['metadata']).toMatchObject({ labels: { [label]: 'web' }, generation: 1 });
    }
  });

  it('is not written by an update without changes', async () => {
    const fixture = await openWriteFixture();
    const body = { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 1 }] };
    const { entry } = await fixture.create('endpointslices', body);
    await fixture.cache.catchUp();
    expect((await fixture.update('endpointslices', 'a', body)).entry.revision).toBe(entry.revision);
  });
});
