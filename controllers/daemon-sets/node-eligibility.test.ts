import type { CoreV1Node, CoreV1NodeSelectorTerm, CoreV1PodSpec, CoreV1Taint } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Node } from '../runtime/nodes';
import { daemonPodTolerations, nodeEligibility, type NodeEligibility } from './node-eligibility';

const node = (labels: Record<string, string> = {}, taints: readonly CoreV1Taint[] = []): Node =>
  apiObject<CoreV1Node>({ metadata: { name: 'a', labels }, spec: { taints: [...taints] } });
const required = (...nodeSelectorTerms: CoreV1NodeSelectorTerm[]): CoreV1PodSpec => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const labelTerm = (key: string, operator: string, ...values: string[]): CoreV1NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});
const taint = (effect: string, key = 'k'): CoreV1Taint => ({ key, value: 'v', effect });

const RUNS_PODS: NodeEligibility = { shouldRun: true, shouldContinueRunning: true };
const KEEPS_PODS: NodeEligibility = { shouldRun: false, shouldContinueRunning: true };
const REJECTS_PODS: NodeEligibility = { shouldRun: false, shouldContinueRunning: false };

test.each<[string, CoreV1PodSpec, Node, NodeEligibility]>([
  ['runs a pod without constraints on any node', {}, node(), RUNS_PODS],
  ['rejects a node that spec.nodeName does not name', { nodeName: 'b' }, node(), REJECTS_PODS],
  ['runs a pod on a node with the labels of its nodeSelector', { nodeSelector: { l: 'm' } }, node({ l: 'm' }), RUNS_PODS],
  ['rejects a node without the labels of the nodeSelector', { nodeSelector: { l: 'm' } }, node({ l: 'n' }), REJECTS_PODS],
  [
    'matches a nodeSelector in the other spelling of the label',
    { nodeSelector: { 'kubernetes.io/os': 'linux' } },
    node({ 'platform.io/os': 'linux' }),
    RUNS_PODS,
  ],
  [
    'runs a pod on a node that matches one of the nodeSelectorTerms',
    required(labelTerm('x', 'Exists'), labelTerm('l', 'In', 'm', 'n')),
    node({ l: 'n' }),
    RUNS_PODS,
  ],
  [
    'rejects a node that matches none of the nodeSelectorTerms',
    required(labelTerm('x', 'Exists'), labelTerm('l', 'NotIn', 'n')),
    node({ l: 'n' }),
    REJECTS_PODS,
  ],
  ['rejects every node when there are no nodeSelectorTerms', required(), node(), REJECTS_PODS],
  ['rejects every node for an empty nodeSelectorTerm', required({}), node(), REJECTS_PODS],
  ['rejects every node for an unknown operator', required(labelTerm('l', 'Like', 'm')), node({ l: 'm' }), REJECTS_PODS],
  ['compares numbers for the operator Gt', required(labelTerm('l', 'Gt', '4')), node({ l: '5' }), RUNS_PODS],
  [
    'matches a node name in matchFields',
    required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }),
    node(),
    RUNS_PODS,
  ],
  ['keeps a running pod on a node with a NoSchedule taint but creates none', {}, node({}, [taint('NoSchedule')]), KEEPS_PODS],
  ['removes a pod from a node with a NoExecute taint', {}, node({}, [taint('NoExecute')]), REJECTS_PODS],
  ['ignores a PreferNoSchedule taint', {}, node({}, [taint('PreferNoSchedule')]), RUNS_PODS],
  ['runs a pod on a node whose taint it tolerates', { tolerations: [{ key: 'k', value: 'v' }] }, node({}, [taint('NoExecute')]), RUNS_PODS],
  [
    'tolerates the not-ready and disk-pressure taints of nodes',
    {},
    node({}, [taint('NoExecute', 'node.platform.io/not-ready'), taint('NoSchedule', 'node.kubernetes.io/disk-pressure')]),
    RUNS_PODS,
  ],
  [
    'creates no pod on a node with the network-unavailable taint',
    {},
    node({}, [taint('NoSchedule', 'node.kubernetes.io/network-unavailable')]),
    KEEPS_PODS,
  ],
  [
    'tolerates the network-unavailable taint for a pod with hostNetwork',
    { hostNetwork: true },
    node({}, [taint('NoSchedule', 'node.kubernetes.io/network-unavailable')]),
    RUNS_PODS,
  ],
])('nodeEligibility %s', (_title, spec, candidate, eligibility) => {
  expect(nodeEligibility(spec, 'kubernetes')(candidate)).toEqual(eligibility);
});

test('daemonPodTolerations replaces an existing toleration in place', () => {
  const notReady = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
  const tolerations = daemonPodTolerations({ tolerations: [{ ...notReady, tolerationSeconds: 7 }, { key: 'k' }] }, 'kubernetes');
  expect(tolerations.slice(0, 2)).toEqual([notReady, { key: 'k' }]);
  // The two of the template, of which one is among the six of every daemon pod.
  expect(tolerations).toHaveLength(2 + 6 - 1);
});
