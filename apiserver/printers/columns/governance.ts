/** Columns of kinds for access control, admission and API priority and fairness (cells: ../cells/governance.ts). */
import { AGE, defineColumn, INTEGER, NAME, WIDE } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

const BINDING: readonly ColumnDefinition[] = [
  NAME,
  defineColumn('Role', 'The bound role, as kind/name.'),
  AGE,
  defineColumn('Users', 'The users to which the role is bound.', WIDE),
  defineColumn('Groups', 'The groups to which the role is bound.', WIDE),
  defineColumn('ServiceAccounts', 'The service accounts to which the role is bound.', WIDE),
];
const WEBHOOKS: readonly ColumnDefinition[] = [NAME, defineColumn('Webhooks', 'The number of webhooks.', INTEGER), AGE];

/** By kind. */
export const GOVERNANCE_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  APIService: [
    NAME,
    defineColumn('Service', 'The Service that serves the group version, or Local.'),
    defineColumn('Available', 'Whether the group version is available, and the reason if not.'),
    AGE,
  ],
  CertificateSigningRequest: [
    NAME,
    AGE,
    defineColumn('SignerName', 'The signer of the request.'),
    defineColumn('Requestor', 'The user who made the request.'),
    defineColumn('RequestedDuration', 'The requested lifetime of the certificate.'),
    defineColumn('Condition', 'The conditions of the request: approved, denied, failed or issued.'),
  ],
  ClusterRoleBinding: BINDING,
  FlowSchema: [
    NAME,
    defineColumn('PriorityLevel', 'The priority level of matching requests.'),
    defineColumn('MatchingPrecedence', 'The order in which flow schemas are matched, lowest first.'),
    defineColumn('DistinguisherMethod', 'The attribute of a request that identifies its flow.'),
    AGE,
    defineColumn('MissingPL', 'Whether the priority level does not exist.'),
  ],
  MutatingWebhookConfiguration: WEBHOOKS,
  PriorityLevelConfiguration: [
    NAME,
    defineColumn('Type', 'Whether the requests of this level are limited.'),
    defineColumn('NominalConcurrencyShares', 'The share of the total concurrency.'),
    defineColumn('Queues', 'The number of queues.'),
    defineColumn('HandSize', 'The number of queues from which a flow is assigned one.'),
    defineColumn('QueueLengthLimit', 'The maximum length of a queue.'),
    AGE,
  ],
  RoleBinding: BINDING,
  ValidatingAdmissionPolicy: [
    NAME,
    defineColumn('Validations', 'The number of validation expressions.', INTEGER),
    defineColumn('ParamKind', 'The kind of the parameters.'),
    AGE,
  ],
  ValidatingAdmissionPolicyBinding: [
    NAME,
    defineColumn('PolicyName', 'The bound policy.'),
    defineColumn('ParamRef', 'The selected parameters.'),
    AGE,
  ],
  ValidatingWebhookConfiguration: WEBHOOKS,
};
