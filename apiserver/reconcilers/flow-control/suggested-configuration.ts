/**
 * The suggested priority levels and flow schemas of release 1.31, in addition to the mandatory ones. Names are in
 * canonical spelling.
 */
import type {
  FlowcontrolV1FlowSchemaSpec,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  FlowcontrolV1QueuingConfiguration,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../../shared/api/types/generated/members';
import { allUsers, allRequestsOf, EXEMPT, groupSubject } from '../../kinds/flowcontrol/mandatory-objects';
import { groupInDialect, type GeneratedNames } from '../../../shared/names/dialect';

const limitedLevel = (
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queuing: FlowcontrolV1QueuingConfiguration,
): FlowcontrolV1PriorityLevelConfigurationSpec => ({
  type: 'Limited',
  limited: { nominalConcurrencyShares, limitResponse: { type: 'Queue', queuing }, lendablePercent },
});
const queuing = (count: number, handSize: number): FlowcontrolV1QueuingConfiguration => ({ queues: count, handSize, queueLengthLimit: 50 });

export const SUGGESTED_PRIORITY_LEVELS: ReadonlyMap<string, FlowcontrolV1PriorityLevelConfigurationSpec> = new Map([
  ['system', limitedLevel(30, 33, queuing(64, 6))],
  ['node-high', limitedLevel(40, 25, queuing(64, 6))],
  ['leader-election', limitedLevel(10, 0, queuing(16, 4))],
  ['workload-high', limitedLevel(40, 50, queuing(128, 6))],
  ['workload-low', limitedLevel(100, 90, queuing(128, 6))],
  ['global-default', limitedLevel(20, 50, queuing(128, 6))],
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
  const rows: readonly SchemaRow[] = [
    ['probes', EXEMPT, 2, undefined, PROBES],
    [
      'system-leader-election',
      'leader-election',
      100,
      'ByUser',
      resourceRules([leases(READ_AND_WRITE)], user(MANAGER), user(SCHEDULER), account('*')),
    ],
    [
      'endpoint-controller',
      'workload-high',
      150,
      'ByUser',
      resourceRules([coreRule(['endpoints'])], user(MANAGER), ...ENDPOINTS.map(account)),
    ],
    [
      'workload-leader-election',
      'leader-election',
      200,
      'ByUser',
      resourceRules([coreRule(['endpoints', 'configmaps']), leases(READ_AND_WRITE)], account('*')),
    ],
    ['system-node-high', 'node-high', 400, 'ByUser', resourceRules([NODES, leases(['*'])], groupSubject('system:nodes'))],
    ['system-nodes', 'system', 500, 'ByUser', allRequestsOf(groupSubject('system:nodes'))],
    ['kube-controller-manager', 'workload-high', 800, 'ByNamespace', allRequestsOf(user(MANAGER))],
    ['kube-scheduler', 'workload-high', 800, 'ByNamespace', allRequestsOf(user(SCHEDULER))],
    ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', allRequestsOf(account('*'))],
    ['service-accounts', 'workload-low', 9000, 'ByUser', allRequestsOf(groupSubject('system:serviceaccounts'))],
    ['global-default', 'global-default', 9900, 'ByUser', allRequestsOf(...allUsers())],
  ];
  return new Map(rows.map(([name, ...row]) => [name, schemaOf(row)]));
}

type SchemaRow = readonly [
  name: string,
  level: string,
  precedence: number,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  rules: Rules,
];

const ENDPOINTS = ['endpoint-controller', 'endpointslicemirroring-controller'];
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

const resourceRules = (resourceRules: FlowcontrolV1ResourcePolicyRule[], ...subjects: FlowcontrolV1Subject[]): Rules => [
  { subjects, resourceRules },
];

const schemaOf = ([name, matchingPrecedence, type, rules]: SchemaRow extends readonly [string, ...infer R]
  ? R
  : never): FlowcontrolV1FlowSchemaSpec => ({
  priorityLevelConfiguration: { name },
  matchingPrecedence,
  ...(type === undefined ? {} : { distinguisherMethod: { type } }),
  rules,
});
