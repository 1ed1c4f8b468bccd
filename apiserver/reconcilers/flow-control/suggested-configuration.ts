/**
 * The suggested PriorityLevelConfigurations and FlowSchemas of release 1.31, in addition to the mandatory ones of
 * kinds/flowcontrol. Their names are the same in both dialects. Data only: flow-control-reconciler.ts creates them.
 */
import type {
  FlowcontrolV1FlowSchemaSpec,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../../shared/api/types/generated/members';
import { allUsers, allRequestsOf, EXEMPT, groupSubject } from '../../kinds/flowcontrol/mandatory-objects';
import { groupInDialect, type GeneratedNames } from '../../../shared/names/dialect';

/** A priority level of type `Limited` as a row; members as in its spec. */
interface LevelRow {
  /** `nominalConcurrencyShares`. */
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

const userSubject = (name: string): FlowcontrolV1Subject => ({ kind: 'User', user: { name } });

const CONTROLLER_MANAGER = userSubject('system:kube-controller-manager');
const SCHEDULER = userSubject('system:kube-scheduler');
const NODES = groupSubject('system:nodes');
const SERVICE_ACCOUNTS = groupSubject('system:serviceaccounts');
const ENDPOINT_CONTROLLERS = ['endpoint-controller', 'endpointslicemirroring-controller'];

type Rules = NonNullable<FlowcontrolV1FlowSchemaSpec['rules']>;

/** A FlowSchema as a row. */
interface SchemaRow {
  readonly name: string;
  /** The name of the priority level. */
  readonly level: string;
  /** The matching precedence: the lowest number wins. */
  readonly precedence: number;
  /** Absent: all requests are one flow. */
  readonly flowsBy?: 'ByNamespace' | 'ByUser';
  readonly rules: Rules;
}

/** By name; subjects and API groups are in the spelling of this server. */
export function suggestedFlowSchemas(names: GeneratedNames): ReadonlyMap<string, FlowcontrolV1FlowSchemaSpec> {
  const rows = [...systemRows(names), ...workloadRows(names)];
  return new Map(rows.map((row) => [row.name, schemaSpec(row)]));
}

const schemaSpec = ({ level, precedence, flowsBy, rules }: SchemaRow): FlowcontrolV1FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  ...(flowsBy === undefined ? {} : { distinguisherMethod: { type: flowsBy } }),
  rules,
});

/** The verbs of leader election, and of controllers that get objects by name to maintain them. No list, watch or patch. */
const GET_CREATE_UPDATE = ['get', 'create', 'update'];
const PROBE_RULES: Rules = [
  { subjects: allUsers(), nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
];
const NODE_RULE: FlowcontrolV1ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: [''],
  resources: ['nodes', 'nodes/status'],
  clusterScope: true,
  namespaces: ['*'],
};

const coreRule = (resources: string[]): FlowcontrolV1ResourcePolicyRule => ({
  verbs: GET_CREATE_UPDATE,
  apiGroups: [''],
  resources,
  namespaces: ['*'],
});

const leaseRule = ({ dialect }: GeneratedNames, verbs: string[]): FlowcontrolV1ResourcePolicyRule => ({
  verbs,
  apiGroups: [groupInDialect(dialect, 'coordination.platform.io')],
  resources: ['leases'],
  namespaces: ['*'],
});

/** Rules that apply to the requests of each of the subjects. */
const rulesFor = (resourceRules: FlowcontrolV1ResourcePolicyRule[], ...subjects: FlowcontrolV1Subject[]): Rules => [
  { subjects, resourceRules },
];

/** `*`: every service account of the system namespace. */
const systemServiceAccount = ({ systemNamespace }: GeneratedNames, name: string): FlowcontrolV1Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: systemNamespace, name },
});

/** Probes, nodes, and the components that the requests of others depend on. */
function systemRows(names: GeneratedNames): readonly SchemaRow[] {
  const allSystemAccounts = systemServiceAccount(names, '*');
  const endpointControllers = ENDPOINT_CONTROLLERS.map((name) => systemServiceAccount(names, name));
  return [
    { name: 'probes', level: EXEMPT, precedence: 2, rules: PROBE_RULES },
    {
      name: 'system-leader-election',
      level: 'leader-election',
      precedence: 100,
      flowsBy: 'ByUser',
      rules: rulesFor([leaseRule(names, GET_CREATE_UPDATE)], CONTROLLER_MANAGER, SCHEDULER, allSystemAccounts),
    },
    {
      name: 'endpoint-controller',
      level: 'workload-high',
      precedence: 150,
      flowsBy: 'ByUser',
      rules: rulesFor([coreRule(['endpoints'])], CONTROLLER_MANAGER, ...endpointControllers),
    },
    {
      name: 'workload-leader-election',
      level: 'leader-election',
      precedence: 200,
      flowsBy: 'ByUser',
      rules: rulesFor([coreRule(['endpoints', 'configmaps']), leaseRule(names, GET_CREATE_UPDATE)], allSystemAccounts),
    },
    {
      name: 'system-node-high',
      level: 'node-high',
      precedence: 400,
      flowsBy: 'ByUser',
      rules: rulesFor([NODE_RULE, leaseRule(names, ['*'])], NODES),
    },
    { name: 'system-nodes', level: 'system', precedence: 500, flowsBy: 'ByUser', rules: allRequestsOf(NODES) },
  ];
}

/** All other requests: of the control plane first, then of the workloads, last of everyone. */
function workloadRows(names: GeneratedNames): readonly SchemaRow[] {
  return [
    {
      name: 'kube-controller-manager',
      level: 'workload-high',
      precedence: 800,
      flowsBy: 'ByNamespace',
      rules: allRequestsOf(CONTROLLER_MANAGER),
    },
    { name: 'kube-scheduler', level: 'workload-high', precedence: 800, flowsBy: 'ByNamespace', rules: allRequestsOf(SCHEDULER) },
    {
      name: 'kube-system-service-accounts',
      level: 'workload-high',
      precedence: 900,
      flowsBy: 'ByNamespace',
      rules: allRequestsOf(systemServiceAccount(names, '*')),
    },
    { name: 'service-accounts', level: 'workload-low', precedence: 9_000, flowsBy: 'ByUser', rules: allRequestsOf(SERVICE_ACCOUNTS) },
    { name: 'global-default', level: 'global-default', precedence: 9_900, flowsBy: 'ByUser', rules: allRequestsOf(...allUsers()) },
  ];
}
