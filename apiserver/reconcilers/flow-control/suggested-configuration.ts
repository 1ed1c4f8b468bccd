/**
 * The suggested priority levels and flow schemas of release 1.31, in addition to the mandatory ones of
 * kinds/flowcontrol. The names of these objects are the same in both dialects.
 */
import type {
  FlowcontrolV1FlowSchemaSpec,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../../shared/api/types/generated/members';
import { allUsers, allRequestsOf, EXEMPT, groupSubject } from '../../kinds/flowcontrol/mandatory-objects';
import { groupInDialect, type GeneratedNames } from '../../../shared/names/dialect';

interface LevelRow {
  readonly shares: number;
  readonly lendablePercent: number;
  readonly queues: number;
  readonly handSize: number;
}

const limitedLevel = ({ shares, lendablePercent, queues, handSize }: LevelRow): FlowcontrolV1PriorityLevelConfigurationSpec => {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  return {
    type: 'Limited',
    limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Queue', queuing }, lendablePercent },
  };
};

/** By name. */
export const SUGGESTED_PRIORITY_LEVELS: ReadonlyMap<string, FlowcontrolV1PriorityLevelConfigurationSpec> = new Map([
  ['system', limitedLevel({ shares: 30, lendablePercent: 33, queues: 64, handSize: 6 })],
  ['node-high', limitedLevel({ shares: 40, lendablePercent: 25, queues: 64, handSize: 6 })],
  ['leader-election', limitedLevel({ shares: 10, lendablePercent: 0, queues: 16, handSize: 4 })],
  ['workload-high', limitedLevel({ shares: 40, lendablePercent: 50, queues: 128, handSize: 6 })],
  ['workload-low', limitedLevel({ shares: 100, lendablePercent: 90, queues: 128, handSize: 6 })],
  ['global-default', limitedLevel({ shares: 20, lendablePercent: 50, queues: 128, handSize: 6 })],
]);

const MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';
const READ_AND_WRITE = ['get', 'create', 'update'];

const user = (name: string): FlowcontrolV1Subject => ({ kind: 'User', user: { name } });

type Rules = NonNullable<FlowcontrolV1FlowSchemaSpec['rules']>;

const coreRule = (resources: string[]): FlowcontrolV1ResourcePolicyRule => ({
  verbs: READ_AND_WRITE,
  apiGroups: [''],
  resources,
  namespaces: ['*'],
});

const ENDPOINT_CONTROLLERS = ['endpoint-controller', 'endpointslicemirroring-controller'];
const PROBES: Rules = [
  { subjects: allUsers(), nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
];
const NODES: FlowcontrolV1ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: [''],
  resources: ['nodes', 'nodes/status'],
  clusterScope: true,
  namespaces: ['*'],
};

/** By name; subjects and groups are spelled as this server spells them. */
export function suggestedFlowSchemas({ systemNamespace, dialect }: GeneratedNames): ReadonlyMap<string, FlowcontrolV1FlowSchemaSpec> {
  const account = (name: string): FlowcontrolV1Subject => ({
    kind: 'ServiceAccount',
    serviceAccount: { namespace: systemNamespace, name },
  });
  const leases = (verbs: string[]): FlowcontrolV1ResourcePolicyRule => ({
    verbs,
    apiGroups: [groupInDialect(dialect, 'coordination.platform.io')],
    resources: ['leases'],
    namespaces: ['*'],
  });
  const electionRules = resourceRules([leases(READ_AND_WRITE)], user(MANAGER), user(SCHEDULER), account('*'));
  const endpointRules = resourceRules([coreRule(['endpoints'])], user(MANAGER), ...ENDPOINT_CONTROLLERS.map(account));
  const workloadElectionRules = resourceRules([coreRule(['endpoints', 'configmaps']), leases(READ_AND_WRITE)], account('*'));
  const nodeRules = resourceRules([NODES, leases(['*'])], groupSubject('system:nodes'));
  const serviceAccounts = groupSubject('system:serviceaccounts');
  // By name: priority level, matching precedence, what distinguishes flows, rules.
  return new Map([
    ['probes', schemaSpec(EXEMPT, 2, undefined, PROBES)],
    ['system-leader-election', schemaSpec('leader-election', 100, 'ByUser', electionRules)],
    ['endpoint-controller', schemaSpec('workload-high', 150, 'ByUser', endpointRules)],
    ['workload-leader-election', schemaSpec('leader-election', 200, 'ByUser', workloadElectionRules)],
    ['system-node-high', schemaSpec('node-high', 400, 'ByUser', nodeRules)],
    ['system-nodes', schemaSpec('system', 500, 'ByUser', allRequestsOf(groupSubject('system:nodes')))],
    ['kube-controller-manager', schemaSpec('workload-high', 800, 'ByNamespace', allRequestsOf(user(MANAGER)))],
    ['kube-scheduler', schemaSpec('workload-high', 800, 'ByNamespace', allRequestsOf(user(SCHEDULER)))],
    ['kube-system-service-accounts', schemaSpec('workload-high', 900, 'ByNamespace', allRequestsOf(account('*')))],
    ['service-accounts', schemaSpec('workload-low', 9000, 'ByUser', allRequestsOf(serviceAccounts))],
    ['global-default', schemaSpec('global-default', 9900, 'ByUser', allRequestsOf(...allUsers()))],
  ]);
}

const resourceRules = (resourceRules: FlowcontrolV1ResourcePolicyRule[], ...subjects: FlowcontrolV1Subject[]): Rules => [
  { subjects, resourceRules },
];

const schemaSpec = (
  level: string,
  matchingPrecedence: number,
  type: 'ByNamespace' | 'ByUser' | undefined,
  rules: Rules,
): FlowcontrolV1FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence,
  ...(type === undefined ? {} : { distinguisherMethod: { type } }),
  rules,
});
