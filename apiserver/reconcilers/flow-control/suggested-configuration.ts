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

const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';
const READ_AND_WRITE = ['get', 'create', 'update'];

const userSubject = (name: string): FlowcontrolV1Subject => ({ kind: 'User', user: { name } });

type Rules = NonNullable<FlowcontrolV1FlowSchemaSpec['rules']>;

const coreRule = (resources: string[]): FlowcontrolV1ResourcePolicyRule => ({
  verbs: READ_AND_WRITE,
  apiGroups: [''],
  resources,
  namespaces: ['*'],
});

const ENDPOINT_CONTROLLERS = ['endpoint-controller', 'endpointslicemirroring-controller'];
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

/** By name; subjects and API groups are in the spelling of this server. */
export function suggestedFlowSchemas({ systemNamespace, dialect }: GeneratedNames): ReadonlyMap<string, FlowcontrolV1FlowSchemaSpec> {
  const serviceAccountSubject = (name: string): FlowcontrolV1Subject => ({
    kind: 'ServiceAccount',
    serviceAccount: { namespace: systemNamespace, name },
  });
  const leaseRule = (verbs: string[]): FlowcontrolV1ResourcePolicyRule => ({
    verbs,
    apiGroups: [groupInDialect(dialect, 'coordination.platform.io')],
    resources: ['leases'],
    namespaces: ['*'],
  });
  const electionRules = resourceRules(
    [leaseRule(READ_AND_WRITE)],
    userSubject(CONTROLLER_MANAGER),
    userSubject(SCHEDULER),
    serviceAccountSubject('*'),
  );
  const endpointRules = resourceRules(
    [coreRule(['endpoints'])],
    userSubject(CONTROLLER_MANAGER),
    ...ENDPOINT_CONTROLLERS.map(serviceAccountSubject),
  );
  const workloadElectionRules = resourceRules(
    [coreRule(['endpoints', 'configmaps']), leaseRule(READ_AND_WRITE)],
    serviceAccountSubject('*'),
  );
  const nodeRules = resourceRules([NODE_RULE, leaseRule(['*'])], groupSubject('system:nodes'));
  const serviceAccounts = groupSubject('system:serviceaccounts');
  return new Map([
    ['probes', schemaSpec({ level: EXEMPT, precedence: 2, rules: PROBE_RULES })],
    ['system-leader-election', schemaSpec({ level: 'leader-election', precedence: 100, flowsBy: 'ByUser', rules: electionRules })],
    ['endpoint-controller', schemaSpec({ level: 'workload-high', precedence: 150, flowsBy: 'ByUser', rules: endpointRules })],
    [
      'workload-leader-election',
      schemaSpec({ level: 'leader-election', precedence: 200, flowsBy: 'ByUser', rules: workloadElectionRules }),
    ],
    ['system-node-high', schemaSpec({ level: 'node-high', precedence: 400, flowsBy: 'ByUser', rules: nodeRules })],
    [
      'system-nodes',
      schemaSpec({ level: 'system', precedence: 500, flowsBy: 'ByUser', rules: allRequestsOf(groupSubject('system:nodes')) }),
    ],
    [
      'kube-controller-manager',
      schemaSpec({
        level: 'workload-high',
        precedence: 800,
        flowsBy: 'ByNamespace',
        rules: allRequestsOf(userSubject(CONTROLLER_MANAGER)),
      }),
    ],
    [
      'kube-scheduler',
      schemaSpec({ level: 'workload-high', precedence: 800, flowsBy: 'ByNamespace', rules: allRequestsOf(userSubject(SCHEDULER)) }),
    ],
    [
      'kube-system-service-accounts',
      schemaSpec({ level: 'workload-high', precedence: 900, flowsBy: 'ByNamespace', rules: allRequestsOf(serviceAccountSubject('*')) }),
    ],
    [
      'service-accounts',
      schemaSpec({ level: 'workload-low', precedence: 9_000, flowsBy: 'ByUser', rules: allRequestsOf(serviceAccounts) }),
    ],
    ['global-default', schemaSpec({ level: 'global-default', precedence: 9_900, flowsBy: 'ByUser', rules: allRequestsOf(...allUsers()) })],
  ]);
}

/** Rules that apply to the requests of each of the subjects. */
const resourceRules = (resourceRules: FlowcontrolV1ResourcePolicyRule[], ...subjects: FlowcontrolV1Subject[]): Rules => [
  { subjects, resourceRules },
];

/** A FlowSchema as a row. */
interface SchemaRow {
  /** The name of the priority level. */
  readonly level: string;
  /** The matching precedence: the lowest number wins. */
  readonly precedence: number;
  /** Absent: all requests are one flow. */
  readonly flowsBy?: 'ByNamespace' | 'ByUser';
  readonly rules: Rules;
}

const schemaSpec = ({ level, precedence, flowsBy, rules }: SchemaRow): FlowcontrolV1FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  ...(flowsBy === undefined ? {} : { distinguisherMethod: { type: flowsBy } }),
  rules,
});
