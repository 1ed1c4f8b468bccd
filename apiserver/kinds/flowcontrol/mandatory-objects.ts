/**
 * The mandatory FlowSchemas and PriorityLevelConfigurations: `exempt`, which is never queued, and `catch-all`, which
 * matches everything else. Their specs are data here; a reconciler creates them, and validation refuses other specs
 * (apart from the shares of `exempt`).
 */
import type {
  FlowcontrolV1FlowSchemaSpec,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1NonResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../../shared/api/types/generated/members';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, UNAUTHENTICATED_GROUP } from '../../../shared/api/identity/user';

/** The names of the mandatory objects, each of both kinds. */
export const EXEMPT = 'exempt';
export const CATCH_ALL = 'catch-all';

const resourceRule = (): FlowcontrolV1ResourcePolicyRule => ({
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
});
const nonResourceRule = (): FlowcontrolV1NonResourcePolicyRule => ({ verbs: ['*'], nonResourceURLs: ['*'] });

/** Rules that match every request of the subjects. */
export const allRequestsOf = (...subjects: FlowcontrolV1Subject[]): NonNullable<FlowcontrolV1FlowSchemaSpec['rules']> => [
  { subjects, resourceRules: [resourceRule()], nonResourceRules: [nonResourceRule()] },
];
export const groupSubject = (name: string): FlowcontrolV1Subject => ({ kind: 'Group', group: { name } });
/** All authenticated and unauthenticated users. */
export const allUsers = (): FlowcontrolV1Subject[] => [groupSubject(UNAUTHENTICATED_GROUP), groupSubject(AUTHENTICATED_GROUP)];

/** The specs of the mandatory FlowSchemas, by name. */
export const MANDATORY_FLOW_SCHEMAS: ReadonlyMap<string, FlowcontrolV1FlowSchemaSpec> = new Map([
  [
    EXEMPT,
    {
      priorityLevelConfiguration: { name: EXEMPT },
      matchingPrecedence: 1,
      rules: allRequestsOf(groupSubject(MASTERS_GROUP)),
    },
  ],
  [
    CATCH_ALL,
    {
      priorityLevelConfiguration: { name: CATCH_ALL },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: allRequestsOf(...allUsers()),
    },
  ],
]);

/** The specs of the mandatory PriorityLevelConfigurations, by name. Users may change `exempt` in the one with that name. */
export const MANDATORY_PRIORITY_LEVELS: ReadonlyMap<string, FlowcontrolV1PriorityLevelConfigurationSpec> = new Map([
  [EXEMPT, { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [CATCH_ALL, { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 } }],
]);
