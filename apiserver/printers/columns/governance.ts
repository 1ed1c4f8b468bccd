/** Columns of kinds for access control, admission and API priority and fairness (cells: ../cells/governance.ts). */
import { AGE, defineColumn, INTEGER, NAME, WIDE } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

const BINDING: readonly ColumnDefinition[] = [
  NAME,
  defineColumn('Role', 'The role that is given, as kind/name.'),
  AGE,
  defineColumn('Users', 'The users who get it.', WIDE),
  defineColumn('Groups', 'The groups who get it.', WIDE),
  defineColumn('ServiceAccounts', 'The service accounts that get it.', WIDE),
];
const WEBHOOKS: readonly ColumnDefinition[] = [NAME, defineColumn('Webhooks', 'How many webhooks it has.', INTEGER), AGE];

export const GOVERNANCE_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  APIService: [
    NAME,
    defineColumn('Service', 'The service that answers for the group version, or Local.'),
    defineColumn('Available', 'Whether it can be asked, and why not.'),
    AGE,
  ],
  CertificateSigningRequest: [
    NAME,
    AGE,
    defineColumn('SignerName', 'Who is asked to sign.'),
    defineColumn('Requestor', 'Who asks.'),
    defineColumn('RequestedDuration', 'How long the certificate should be good for.'),
    defineColumn('Condition', 'What was decided and done.'),
  ],
  ClusterRoleBinding: BINDING,
  FlowSchema: [
    NAME,
    defineColumn('PriorityLevel', 'The level that its requests belong to.'),
    defineColumn('MatchingPrecedence', 'Smaller numbers are tried first.'),
    defineColumn('DistinguisherMethod', 'What tells its flows apart.'),
    AGE,
    defineColumn('MissingPL', 'Whether the level does not exist.'),
  ],
  MutatingWebhookConfiguration: WEBHOOKS,
  PriorityLevelConfiguration: [
    NAME,
    defineColumn('Type', 'Whether its requests are limited.'),
    defineColumn('NominalConcurrencyShares', 'Its share of the requests that run at a time.'),
    defineColumn('Queues', 'How many queues it has.'),
    defineColumn('HandSize', 'How many queues a flow may use.'),
    defineColumn('QueueLengthLimit', 'How many requests may wait in a queue.'),
    AGE,
  ],
  RoleBinding: BINDING,
  ValidatingAdmissionPolicy: [
    NAME,
    defineColumn('Validations', 'How many expressions it checks.', INTEGER),
    defineColumn('ParamKind', 'The kind of its parameters.'),
    AGE,
  ],
  ValidatingAdmissionPolicyBinding: [
    NAME,
    defineColumn('PolicyName', 'The policy that it puts into effect.'),
    defineColumn('ParamRef', 'Where the parameters are found.'),
    AGE,
  ],
  ValidatingWebhookConfiguration: WEBHOOKS,
};
