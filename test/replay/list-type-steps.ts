/**
 * Two appliers and lists and maps of every type: sets, lists with one key and with two, one of which has a default, atomic lists, granular and atomic
 * maps. Each adds its own, changes what is the other's, and gives up. Recorded by updates.ts.
 */
import { get, type RequestStep } from './update-steps';

type Members = Readonly<Record<string, unknown>>;

const DEPLOYMENT = '/apis/apps/v1/namespaces/$NS/deployments/d';

function by(manager: string, note: string, path: string, body: unknown): RequestStep {
  return { method: 'PATCH', type: 'apply', note: `${manager}: ${note}`, path: `${path}fieldManager=${manager}`, body };
}

/** What a pod template says, besides what every Deployment must say. */
function template(spec: Members, container: Members = {}): Members {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec } },
    },
  };
}

const service = (ports: readonly Members[]): Members => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { clusterIP: 'None', ports },
});
const map = (metadata: Members, data: Members = {}): Members => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', ...metadata },
  data,
});
const owner = (uid: string, name: string): Members => ({ apiVersion: 'v1', kind: 'Pod', name, uid });

/** What one says, what the other says, and what the first says when it changes its mind. */
interface Case {
  readonly one: Members;
  readonly two: Members;
  readonly less: Members;
}

const OF_TEMPLATES: Readonly<Record<string, Case>> = {
  'one key': {
    one: template(
      {},
      {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    ),
    two: template(
      {},
      {
        env: [
          { name: 'C', value: '3' },
          { name: 'B', value: '2' },
        ],
      },
    ),
    less: template({}, { env: [{ name: 'A', value: '1' }] }),
  },
  'two keys, one with a default': {
    one: template({}, { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP', name: 'u' }] }),
    two: template({}, { ports: [{ containerPort: 80, protocol: 'TCP', name: 't' }, { containerPort: 81 }] }),
    less: template({}, { ports: [{ containerPort: 80, protocol: 'UDP' }] }),
  },
  'an atomic list': {
    one: template({ tolerations: [{ key: 'a', operator: 'Exists' }] }, { args: ['1', '2'] }),
    two: template({ tolerations: [{ key: 'b', operator: 'Exists' }] }, { args: ['2'] }),
    less: template({}, { args: ['1'] }),
  },
  'an atomic map': {
    one: template({ nodeSelector: { a: '1' } }),
    two: template({ nodeSelector: { b: '2' } }),
    less: template({}),
  },
  'a granular map below an item': {
    one: template({}, { resources: { limits: { cpu: '1', memory: '1Gi' } } }),
    two: template({}, { resources: { limits: { cpu: '1000m', 'example.com/x': '1' } } }),
    less: template({}, { resources: { limits: { memory: '1Gi' } } }),
  },
  'a list of items with one member': {
    one: template({ imagePullSecrets: [{ name: 'a' }], hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }] }),
    two: template({ imagePullSecrets: [{ name: 'b' }], hostAliases: [{ ip: '192.0.2.1', hostnames: ['b'] }] }),
    less: template({ imagePullSecrets: [{ name: 'b' }] }),
  },
};

const OF_OTHERS: readonly (readonly [name: string, path: string, said: Case])[] = [
  [
    'a set',
    'configmaps/m',
    {
      one: map({ finalizers: ['x.y/a', 'x.y/b'] }),
      two: map({ finalizers: ['x.y/c', 'x.y/b'] }),
      less: map({ finalizers: ['x.y/b'] }),
    },
  ],
  [
    'owners',
    'configmaps/m',
    {
      one: map({ ownerReferences: [owner('1', 'a'), owner('2', 'b')] }),
      two: map({ ownerReferences: [owner('2', 'c'), owner('3', 'd')] }),
      less: map({ ownerReferences: [owner('1', 'a')] }),
    },
  ],
  ['a granular map', 'configmaps/m', { one: map({}, { a: '1', b: '2' }), two: map({}, { b: '3', c: '4' }), less: map({}, { a: '1' }) }],
  [
    'ports of a Service',
    'services/s',
    {
      one: service([{ port: 80, name: 'a' }]),
      two: service([
        { port: 80, protocol: 'UDP', name: 'b' },
        { port: 80, protocol: 'TCP', name: 'c' },
      ]),
      less: service([{ port: 81, name: 'd' }]),
    },
  ],
];

function steps(name: string, path: string, { one, two, less }: Case): readonly RequestStep[] {
  return [
    by('one', name, `${path}?`, one),
    by('two', `${name}, beside it`, `${path}?`, two),
    by('two', `${name}, with force`, `${path}?force=true&`, two),
    by('one', `${name}, again`, `${path}?`, one),
    by('one', `${name}, less of it`, `${path}?force=true&`, less),
    by('two', `${name}, given up`, `${path}?`, {
      apiVersion: one['apiVersion'],
      kind: one['kind'],
      metadata: { name: path.slice(path.lastIndexOf('/') + 1) },
    }),
    get(path),
  ];
}

export const LIST_TYPE_STEPS: Readonly<Record<string, readonly RequestStep[]>> = {
  'list-types': [
    ...Object.entries(OF_TEMPLATES).flatMap(([name, said]) => steps(name, DEPLOYMENT, said)),
    ...OF_OTHERS.flatMap(([name, path, said]) => steps(name, path, said)),
  ],
};
