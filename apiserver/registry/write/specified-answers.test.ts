/**
 * Differences of the API specification from release 1.31.1: Service status, externalName, EndpointSlices without
 * endpoints, and PUT of an absent object.
 */
import { StatusError } from '../../../shared/api/errors/status';
import type { JsonObject } from '../../../shared/values/json';
import { openWriteFixture } from '../../../test/support/store/write-fixture';
import { validateServiceStatus } from '../../kinds/core/service/service-status';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(() => openWriteFixture());

async function outcome(request: Promise<{ readonly created: boolean }>): Promise<string> {
  try {
    return (await request).created ? '201' : '200';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.code} ${error.message}`;
  } finally {
    await fixture().cache.catchUp();
  }
}

const PORTS = [{ port: 80 }];

describe('a Service', () => {
  const service = (spec: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec });

  it('is rejected with an externalName unless its type is ExternalName', async () => {
    expect(await outcome(fixture().create('services', service({ ports: PORTS, externalName: 'a.b' })))).toMatch(
      /^422 .*spec\.externalName: Forbidden: may only be used when `type` is 'ExternalName'$/,
    );
  });

  it('keeps the externalName that it had as type ExternalName, and is rejected with any other', async () => {
    await fixture().create('services', service({ type: 'ExternalName', externalName: 'a.b' }));
    await fixture().cache.catchUp();
    const merge = (spec: JsonObject): Promise<string> => outcome(fixture().patch('services', 'a', 'merge', { spec }));
    expect(await merge({ type: 'ClusterIP', ports: PORTS })).toBe('200');
    expect(await merge({ sessionAffinity: 'ClientIP' })).toBe('200');
    expect(await merge({ externalName: 'c.d' })).toMatch(/^422/);
    expect(await merge({ externalName: null })).toBe('200');
    expect(await merge({ externalName: 'a.b' })).toMatch(/^422/);
  });

  it('has the ports and conditions of its status validated only when they change', () => {
    const wrong = {
      conditions: [{ type: 'a b', status: 'X', reason: '', message: '', lastTransitionTime: null }],
      loadBalancer: { ingress: [{ ip: '192.0.2.7', ipMode: 'VIP', ports: [{ port: 0, protocol: 'X' }] }] },
    };
    const balanced = { spec: { type: 'LoadBalancer' } };
    const fields = (status: JsonObject, old: JsonObject): readonly string[] =>
      validateServiceStatus({ ...balanced, status }, { ...balanced, status: old }).map(({ text }) => text.split(':')[0] ?? '');
    expect(fields(wrong, {})).toEqual([
      'status.conditions[0].type',
      'status.conditions[0].status',
      'status.conditions[0].lastTransitionTime',
      'status.conditions[0].reason',
      'status.loadBalancer.ingress[0].ports[0].port',
      'status.loadBalancer.ingress[0].ports[0].protocol',
    ]);
    expect(fields(wrong, wrong)).toEqual([]);
  });
});

describe('an EndpointSlice', () => {
  const slice = (name: string, more: JsonObject): JsonObject => ({ metadata: { name }, addressType: 'IPv4', ...more });
  const missing = '422 EndpointSlice.discovery.platform.io "a" is invalid: endpoints: Required value';

  it('is rejected without an endpoints field; null and an empty list are accepted', async () => {
    expect(await outcome(fixture().create('endpointslices', slice('a', {})))).toBe(missing);
    for (const [name, endpoints] of Object.entries({ b: null, c: [] }))
      expect(await outcome(fixture().create('endpointslices', slice(name, { endpoints })))).toBe('201');
    expect(await outcome(fixture().create('endpointslices', slice('a', { endpoints: [] })))).toBe('201');
    expect(await outcome(fixture().update('endpointslices', 'a', slice('a', {})))).toBe(missing);
    expect(await outcome(fixture().patch('endpointslices', 'a', 'merge', { endpoints: null }))).toBe('200');
  });
});

describe.each<[resource: string, spec: JsonObject]>([
  ['endpointslices', { addressType: 'IPv4', endpoints: [] }],
  ['ingresses', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }],
])('PUT of an absent object of %s', (resource, spec) => {
  const put = (name: string, metadata: JsonObject): Promise<string> =>
    outcome(fixture().update(resource, name, { ...spec, metadata: { name, ...metadata } }));

  it('creates the object when the resourceVersion is unset or 0, and responds 404 otherwise', async () => {
    expect(await put('a', {})).toBe('201');
    expect(await put('a', {})).toBe('200');
    expect(await put('b', { resourceVersion: '0' })).toBe('201');
    expect(await put('c', { resourceVersion: '7' })).toMatch(/^404 .*"c" not found$/);
  });
});
