import { buildDefinitions, openApiName } from './openapi';
import { typeNames } from './tables';

const options = {
  namePrefix: 'io.platform',
  kindsOf: (type: string) => (type === 'core.v1.Service' ? [{ group: '', version: 'v1', kind: 'Service' }] : []),
};

test('definitions for OpenAPI v2 refer to #/definitions and have no defaults', () => {
  const definitions = buildDefinitions(['core.v1.Service'], { ...options, version: 2 });
  expect(definitions['io.platform.api.core.v1.ServicePort']).toEqual({
    type: 'object',
    required: ['port'],
    properties: {
      appProtocol: { type: 'string' },
      name: { type: 'string' },
      nodePort: { type: 'integer', format: 'int32' },
      port: { type: 'integer', format: 'int32' },
      protocol: { type: 'string', enum: ['SCTP', 'TCP', 'UDP'] },
      targetPort: { $ref: '#/definitions/io.platform.apimachinery.pkg.util.intstr.IntOrString' },
    },
  });
});

test('definitions for OpenAPI v3 have defaults and merge extensions', () => {
  const definitions = buildDefinitions(['core.v1.Service'], { ...options, version: 3 });
  expect(definitions['io.platform.api.core.v1.ServiceSpec']).toMatchObject({
    properties: {
      ports: {
        type: 'array',
        items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.platform.api.core.v1.ServicePort' }] },
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'port',
        'x-kubernetes-patch-strategy': 'merge',
      },
      selector: { type: 'object', additionalProperties: { type: 'string', default: '' }, 'x-kubernetes-map-type': 'atomic' },
    },
  });
  expect(definitions['io.platform.api.core.v1.Service']).toMatchObject({
    'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Service' }],
  });
});

test('definitions list the values of an enum field in its description', () => {
  const describe = (_: string, member?: string): string | undefined => (member === 'protocol' ? 'How it is spoken to.' : undefined);
  const definitions = buildDefinitions(['core.v1.Service'], { ...options, version: 3, describe });
  const values = 'Possible enum values:\n - `"SCTP"`\n - `"TCP"`\n - `"UDP"`';
  expect(definitions['io.platform.api.core.v1.ServicePort']).toMatchObject({
    properties: { protocol: { description: `How it is spoken to.\n\n${values}` } },
  });
});

test('definitions do not list the values of the items of a list, such as ipFamilies, in the description of the list', () => {
  const definitions = buildDefinitions(['core.v1.ServiceSpec'], { ...options, version: 3, describe: () => 'About it.' });
  expect(definitions['io.platform.api.core.v1.ServiceSpec']).toMatchObject({
    properties: { ipFamilies: { description: 'About it.', items: { enum: ['', 'IPv4', 'IPv6'] } } },
  });
});

test.each([2, 3] as const)('definitions for OpenAPI v%d contain every type that they refer to', (version) => {
  const definitions = buildDefinitions(typeNames(), { ...options, version });
  const referred = [...JSON.stringify(definitions).matchAll(/"#\/(?:definitions|components\/schemas)\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  expect(referred.filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
  expect(referred.length).toBeGreaterThan(300);
});

test('openApiName distinguishes the API group resource from the package resource of apimachinery', () => {
  expect(openApiName('resource.Quantity', 'r')).toBe('r.apimachinery.pkg.api.resource.Quantity');
  expect(openApiName('resource.v1alpha3.Device', 'r')).toBe('r.api.resource.v1alpha3.Device');
});
