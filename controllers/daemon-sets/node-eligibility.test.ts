import type { CoreV1Node, CoreV1NodeSelectorTerm, CoreV1PodSpec, CoreV1Taint } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Node } from '../runtime/nodes';
import { daemonPodTolerations, nodeEligibility } from './node-eligibility';

const node = (labels: Record<string, string> = {}, taints: readonly CoreV1Taint[] = []): Node =>
  apiObject<CoreV1Node>({ metadata: { name: 'a', labels }, spec: { taints: [...taints] } });
const required = (...nodeSelectorTerms: CoreV1NodeSelectorTerm[]): CoreV1PodSpec => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const labelTerm = (key: string, operator: string, ...values: string[]): CoreV1NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});
const taint = (effect: string, key = 'k'): CoreV1Taint => ({ key, value: 'v', effect });

test.each<[string, CoreV1PodSpec, Node, boolean, boolean]>([
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
    required(labelTerm('x', 'Exists'), labelTerm('l', 'In', 'm', 'n')),
    node({ l: 'n' }),
    true,
    true,
  ],
  [
    'rejects a node that matches none of the nodeSelectorTerms',
    required(labelTerm('x', 'Exists'), labelTerm('l', 'NotIn', 'n')),
    node({ l: 'n' }),
    false,
    false,
  ],
  ['rejects every node when there are no nodeSelectorTerms', required(), node(), false, false],
  ['rejects every node for an empty nodeSelectorTerm', required({}), node(), false, false],
  ['rejects every node for an unknown operator', required(labelTerm('l', 'Like', 'm')), node({ l: 'm' }), false, false],
  ['compares numbers for the operator Gt', required(labelTerm('l', 'Gt', '4')), node({ l: '5' }), true, true],
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
])('nodeEligibility %s', (_title, spec, candidate, shouldRun, shouldContinueRunning) => {
  expect(nodeEligibility(spec, 'kubernetes')(candidate)).toEqual({ shouldRun, shouldContinueRunning });
});

test('daemonPodTolerations replaces an existing toleration in place', () => {
  const notReady = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
  const tolerations = daemonPodTolerations({ tolerations: [{ ...notReady, tolerationSeconds: 7 }, { key: 'k' }] }, 'kubernetes');
  expect(tolerations.slice(0, 2)).toEqual([notReady, { key: 'k' }]);
  expect(tolerations).toHaveLength(7);
});
