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
  expect(
    discovered.resources.map(({ group, version, resource: name, kind, namespaced }) => [group, version, name, kind, namespaced]),
  ).toEqual([
    ['', 'v1', 'pods', 'PODS', true],
    ['networking.platform.io', 'v1', 'a', 'A', true],
    ['networking.platform.io', 'v1', 'b', 'B', false],
    ['networking.platform.io', 'v1beta1', 'c', 'C', true],
  ]);
  expect(discovered.resources.map(({ subresources }) => [...subresources])).toEqual([['status', 'scale'], [], [], []]);
  expect(discovered.stale).toEqual(['metrics.example.com/v1beta1']);
  expect(discovered.malformed).toEqual(['bad/name/v1']);
});
