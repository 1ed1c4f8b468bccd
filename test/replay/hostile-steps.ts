/** Patches that ask for too much, for what nobody has, or for two things at once. Recorded by updates.ts. */
import { cm, get, json, merge, post, put, strategic, apply, type RequestStep } from './update-steps';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/$NS/deployments';
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: {
        containers: [
          { name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] },
          { name: 'e', image: 'i' },
        ],
      },
    },
  },
};

const operations = (count: number): readonly object[] => Array.from({ length: count }, () => ({ op: 'add', path: '/data/k', value: 'v' }));
const bomb = (): readonly object[] => [
  { op: 'add', path: '/data/x', value: 'x'.repeat(1000) },
  ...Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/${index}` })),
];
const owner = (manager: string, fieldsV1: unknown, more: object = {}): object => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2024-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
const owned = (note: string, managedFields: unknown): RequestStep => merge(note, 'configmaps/a', { metadata: { managedFields } });
const deep = (levels: number): unknown => JSON.parse(`${'{"f:a":'.repeat(levels)}{}${'}'.repeat(levels)}`);

/** What is said of a pod's members by directives, each with a name for the case. */
const DIRECTIVES: readonly (readonly [note: string, spec: object])[] = [
  [
    'an item deleted and changed',
    {
      containers: [
        { $patch: 'delete', name: 'c' },
        { name: 'c', image: 'z' },
      ],
    },
  ],
  ['a list replaced and changed', { containers: [{ $patch: 'replace' }, { name: 'c', image: 'z' }] }],
  ['a deletion without a key', { containers: [{ $patch: 'delete' }] }],
  ['a member changed and not retained', { $retainKeys: ['volumes'], containers: [{ name: 'c' }] }],
  ['no list to retain', { $retainKeys: 'x' }],
  ['another order', { '$setElementOrder/containers': [{ name: 'e' }], containers: [{ name: 'c', image: 'q' }, { name: 'e' }] }],
  ['no order', { '$setElementOrder/containers': 'x' }],
  ['an order without keys', { '$setElementOrder/containers': [{ x: 1 }], containers: [{ name: 'c' }] }],
  ['an order of a text', { '$setElementOrder/restartPolicy': ['x'] }],
  ['values taken from items', { '$deleteFromPrimitiveList/containers': ['x'] }],
  ['no values taken', { '$deleteFromPrimitiveList/containers': 5 }],
  ['values taken from nowhere', { $deleteFromPrimitiveList: ['x'] }],
  ['an item to be merged', { containers: [{ $patch: 'merge', name: 'c' }] }],
  ['a directive of another kind', { $patch: 'nope' }],
  ['a directive that is no text', { $patch: 5 }],
  ['a list of two kinds', { containers: [{ name: 'c' }, 'x'] }],
  ['a list for an object', { securityContext: [1] }],
  ['an object for a list', { containers: { name: 'c' } }],
];

export const HOSTILE_STEPS: Readonly<Record<string, readonly RequestStep[]>> = {
  'too-much': [
    post('a map', 'configmaps', cm('a', {}, { data: { a: 'b' } })),
    json('as many operations as may be', 'configmaps/a', operations(10_000)),
    json('one more', 'configmaps/a', operations(10_001)),
    json('a map copied into itself', 'configmaps/a', bomb()),
    json('below what every object inherits', 'configmaps/a', [{ op: 'add', path: '/__proto__/x', value: 'y' }]),
    json('what every object inherits', 'configmaps/a', [{ op: 'add', path: '/data/__proto__', value: 'y' }]),
    json('a constructor', 'configmaps/a', [{ op: 'add', path: '/constructor/prototype/x', value: 'y' }]),
    merge('names of what every object inherits', 'configmaps/a', '{"__proto__":{"x":1},"data":{"__proto__":"z","constructor":"c"}}'),
    strategic('names again', 'configmaps/a', '{"data":{"__proto__":"z","toString":"c"}}'),
    apply(
      'names that are applied',
      'configmaps/p',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"},"data":{"__proto__":"z"}}',
    ),
    merge('an invalid object', 'configmaps/a', { data: { 'bad key!': 'x' } }),
    json('an invalid label', 'configmaps/a', [{ op: 'add', path: '/metadata/labels', value: { 'a b': 'c' } }]),
    strategic('an invalid annotation', 'configmaps/a', { metadata: { annotations: { 'x y': '1' } } }),
    apply('an invalid label that is applied', 'configmaps/a', cm('a', { labels: { a: 'b c' } })),
    get('configmaps/a'),
  ],
  owners: [
    post('a map', 'configmaps', cm('a', {}, { data: { a: 'b' } })),
    owned('an unknown operation', [{ manager: 'x', operation: 'Nope', apiVersion: 'v1' }]),
    owned('an unknown kind of set', [owner('x', {}, { fieldsType: 'FieldsV2' })]),
    owned('an unknown kind of element', [owner('x', { 'z:q': {} })]),
    owned('a long name', [owner('x'.repeat(129), {})]),
    owned('no list', 'x'),
    owned(
      'twenty of them',
      Array.from({ length: 20 }, (_, index) => owner(`m${index}`, { 'f:data': { [`f:k${index}`]: {} } })),
    ),
    owned('a deep one', [owner('d', deep(600))]),
    put(
      'a wide one',
      'configmaps/a',
      cm('a', {
        managedFields: [owner('w', { 'f:data': Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f:k${299 - index}`, {}])) })],
      }),
    ),
    owned('an empty one', [{}]),
  ],
  directives: [
    post('a deployment', DEPLOYMENTS, DEPLOYMENT),
    ...DIRECTIVES.map(([note, spec]) => strategic(note, `${DEPLOYMENTS}/d?dryRun=All`, { spec: { template: { spec } } })),
  ],
};
