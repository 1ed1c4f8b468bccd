import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { placementOf, tolerationsOf } from './placement';

const node = (labels: JsonObject = {}, taints: readonly JsonObject[] = []): ApiObject =>
  apiObject({ metadata: { name: 'a', labels }, spec: { taints: [...taints] } });
const required = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const wants = (key: string, operator: string, ...values: string[]): JsonObject => ({ matchExpressions: [{ key, operator, values }] });
const taint = (effect: string, key = 'k'): JsonObject => ({ key, value: 'v', effect });

test.each<[string, JsonObject, ApiObject, boolean, boolean]>([
  ['runs a pod without constraints on any node', {}, node(), true, true],
  ['rejects a node that spec.nodeName does not name', { nodeName: 'b' }, node(), false, false],
  ['runs a pod on a node with the labels of its nodeSelector', { nodeSelector: { l: 'm' } }, node({ l: 'm' }), true, true],
  ['rejects a node without the labels of the nodeSelector', { nodeSelector: { l: 'm' } }, node({ l: 'n' }), false, false],
  [
    'matches a nodeSelector in the other spelling of the label',
    { nodeSelector: { 'kubernetes.io/os': 'linux' } },
    node({ 'platform.io/os': 'linux' }),
    true,
    true,
  ],
  [
    'runs a pod on a node that matches one of the nodeSelectorTerms',
    required(wants('x', 'Exists'), wants('l', 'In', 'm', 'n')),
    node({ l: 'n' }),
    true,
    true,
  ],
  [
    'rejects a node that matches none of the nodeSelectorTerms',
    required(wants('x', 'Exists'), wants('l', 'NotIn', 'n')),
    node({ l: 'n' }),
    false,
    false,
  ],
  ['rejects every node when there are no nodeSelectorTerms', required(), node(), false, false],
  ['rejects every node for an empty nodeSelectorTerm', required({}), node(), false, false],
  ['rejects every node for an unknown operator', required(wants('l', 'Like', 'm')), node({ l: 'm' }), false, false],
  ['compares numbers for the operator Gt', required(wants('l', 'Gt', '4')), node({ l: '5' }), true, true],
  [
    'matches a node name in matchFields',
    required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }),
    node(),
    true,
    true,
  ],
  ['keeps a running pod on a node with a NoSchedule taint but creates none', {}, node({}, [taint('NoSchedule')]), false, true],
  ['removes a pod from a node with a NoExecute taint', {}, node({}, [taint('NoExecute')]), false, false],
  ['ignores a PreferNoSchedule taint', {}, node({}, [taint('PreferNoSchedule')]), true, true],
  [
    'runs a pod on a node whose taint it tolerates',
    { tolerations: [{ key: 'k', value: 'v' }] },
    node({}, [taint('NoExecute')]),
    true,
    true,
  ],
  [
    'tolerates the not-ready and disk-pressure taints of nodes',
    {},
    node({}, [taint('NoExecute', 'node.platform.io/not-ready'), taint('NoSchedule', 'node.kubernetes.io/disk-pressure')]),
    true,
    true,
  ],
  [
    'creates no pod on a node with the network-unavailable taint',
    {},
    node({}, [taint('NoSchedule', 'node.kubernetes.io/network-unavailable')]),
    false,
    true,
  ],
  [
    'tolerates the network-unavailable taint for a pod with hostNetwork',
    { hostNetwork: true },
    node({}, [taint('NoSchedule', 'node.kubernetes.io/network-unavailable')]),
    true,
    true,
  ],
])('placementOf %s', (_title, spec, of, runs, stays) => expect(placementOf(spec, 'kubernetes')(of)).toEqual({ runs, stays }));

test('tolerationsOf replaces an existing toleration in place', () => {
  const mine = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 };
  const all = tolerationsOf({ tolerations: [mine, { key: 'k' }] }, 'kubernetes');
  expect(all.slice(0, 2)).toEqual([{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }, { key: 'k' }]);
  expect(all).toHaveLength(7);
});
