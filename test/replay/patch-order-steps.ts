/**
 * Patches with which something is wrong in several places: in which order upstream names the faults, and how it shows the patched object. Recorded by
 * updates.ts.
 */
import { cm, json, merge, post, type RequestStep } from './update-steps';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', labels: { z: '1', a: '2' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'd' } },
    template: {
      metadata: { labels: { app: 'd', zz: '1', bb: '2' } },
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ name: 'c', image: 'i', env: [{ name: 'B', value: '1' }], resources: { requests: { memory: '1Mi', cpu: '1' } } }],
      },
    },
  },
};
const DEPLOYMENTS = '/apis/apps/v1/namespaces/$NS/deployments';
const containers = (...list: readonly object[]): object => ({ spec: { template: { spec: { containers: list } } } });
const unknown = (q: string): readonly RequestStep[] => [
  merge('unknown members', `configmaps/a?${q}`, { zz: 1, aa: 2, metadata: { q: 1, 'a-b': { z: 1 } }, 'metadata-x': 1 }),
  json('unknown members that were added', `configmaps/a?${q}`, [
    { op: 'add', path: '/zz', value: 1 },
    { op: 'add', path: '/aa', value: { z: 1, a: 2 } },
    { op: 'add', path: '/metadata/q', value: 1 },
  ]),
  merge(
    'unknown members in a list',
    `${DEPLOYMENTS}/d?${q}`,
    containers({ name: 'c', image: 'x', zz: 1, aa: 2 }, { name: 'e', bb: 1, ab: 2, image: 'y' }),
  ),
];

export const PATCH_ORDER_STEPS: Readonly<Record<string, readonly RequestStep[]>> = {
  'patch-order': [
    post('a map', 'configmaps', cm('a', { labels: { z: '1', a: '2' }, annotations: { y: '1', b: '2' } }, { data: { z: '1', a: '2' } })),
    post('a deployment', DEPLOYMENTS, DEPLOYMENT),
    merge('two members of a map', 'configmaps/a', { metadata: { labels: { z: 1, a: 2 } }, data: { q: 3 } }),
    merge('an object in the place of a text', 'configmaps/a', { metadata: { labels: { q: { z: 1, a: 2 } } } }),
    merge('a list in the place of an object', 'configmaps/a', { metadata: { labels: [{ z: 1, a: null }] } }),
    merge('a list in the place of a list', 'configmaps/a', { metadata: { finalizers: [{ z: 1, a: null, b: [null, { d: null, c: 1 }] }] } }),
    merge('nulls in a list', 'configmaps/a', {
      metadata: { ownerReferences: [{ uid: 1, name: 2, apiVersion: 3, blockOwnerDeletion: null }] },
    }),
    merge('lists in lists', 'configmaps/a', { data: { x: { q: [[{ z: 1, a: { d: 1, c: 2 } }], null] } } }),
    merge('several members of a struct', `${DEPLOYMENTS}/d`, { spec: { revisionHistoryLimit: 'x', minReadySeconds: 'y', replicas: 'z' } }),
    merge('items of a list', `${DEPLOYMENTS}/d`, containers({ z: 1, name: 1, image: 'x', b: { z: 1, a: 2 } })),
    json('a member of an item', `${DEPLOYMENTS}/d`, [
      { op: 'replace', path: '/spec/template/spec/containers/0/env/0/value', value: { z: 1, a: 2 } },
    ]),
    json('an item', `${DEPLOYMENTS}/d`, [
      { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'n', image: 3, z: { b: 1, a: 2 } } },
    ]),
    json('the whole object', `${DEPLOYMENTS}/d`, [{ op: 'replace', path: '', value: { z: 1, a: 2 } }]),
    ...unknown('fieldValidation=Strict'),
    ...unknown('fieldValidation=Warn&dryRun=All'),
  ],
};
