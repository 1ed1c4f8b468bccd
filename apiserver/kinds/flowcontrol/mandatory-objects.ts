/** The flow schemas and priority levels that are what they are: whatever matches nothing else, and what nobody holds up. */
import type {
  FlowcontrolV1FlowSchemaSpec,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1NonResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../../shared/api/types/generated/members';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, UNAUTHENTICATED_GROUP } from '../../../shared/api/identity/user';

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

/** Whatever these ask for. */
export const allRequestsOf = (...subjects: FlowcontrolV1Subject[]): NonNullable<FlowcontrolV1FlowSchemaSpec['rules']> => [
  { subjects, resourceRules: [resourceRule()], nonResourceRules: [nonResourceRule()] },
];
export const groupSubject = (name: string): FlowcontrolV1Subject => ({ kind: 'Group', group: { name } });
/** Everyone, known or not. */
export const allUsers = (): FlowcontrolV1Subject[] => [groupSubject(UNAUTHENTICATED_GROUP), groupSubject(AUTHENTICATED_GROUP)];

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

/** Of the exempt one, the shares and what it lends are its own. */
export const MANDATORY_PRIORITY_LEVELS: ReadonlyMap<string, FlowcontrolV1PriorityLevelConfigurationSpec> = new Map([
  [EXEMPT, { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [CATCH_ALL, { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 } }],
]);
