import { readDiscovery } from './discovery';

const resource = (name: string, verbs = ['list', 'delete'], scope = 'Namespaced') => ({
  resource: name,
  scope,
  verbs,
  responseKind: { kind: name.toUpperCase() },
});

test('readDiscovery takes a resource from the first version that serves it, and lists stale and malformed versions apart', () => {
  const discovered = readDiscovery(
    [
      {
        items: [
          {
            metadata: {},
            versions: [
              {
                version: 'v1',
                resources: [{ ...resource('pods'), subresources: [{ subresource: 'status' }, { subresource: 'scale' }] }],
                freshness: 'Current',
              },
            ],
          },
        ],
      },
      {
        items: [
          {
            metadata: { name: 'networking.k8s.io' },
            versions: [
              { version: 'v1', resources: [resource('a'), resource('b', ['get'], 'Cluster')] },
              { version: 'v1beta1', resources: [resource('a'), resource('c')] },
            ],
          },
          { metadata: { name: 'metrics.example.com' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
          { metadata: { name: 'bad/name' }, versions: [{ version: 'v1', resources: [resource('x')] }] },
        ],
      },
    ],
    'kubernetes',
  );
  expect(discovered.resources).toMatchObject([
    { group: '', version: 'v1', resource: 'pods', kind: 'PODS', namespaced: true, subresources: new Set(['status', 'scale']) },
    { group: 'networking.platform.io', version: 'v1', resource: 'a', kind: 'A', namespaced: true, subresources: new Set() },
    { group: 'networking.platform.io', version: 'v1', resource: 'b', kind: 'B', namespaced: false },
    { group: 'networking.platform.io', version: 'v1beta1', resource: 'c', kind: 'C', namespaced: true },
  ]);
  expect(discovered.stale).toEqual(['metrics.example.com/v1beta1']);
  expect(discovered.malformed).toEqual(['bad/name/v1']);
});
