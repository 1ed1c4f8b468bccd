/** Columns of who may do what, and of how requests are treated. The cells are in ../cells/. */
import { AGE, column, COUNT, NAME, WIDE } from '../table/column';
import type { ColumnDefinition } from '../table/printer';

const BINDING: readonly ColumnDefinition[] = [
  NAME,
  column('Role', 'The role that is given, as kind/name.'),
  AGE,
  column('Users', 'The users who get it.', WIDE),
  column('Groups', 'The groups who get it.', WIDE),
  column('ServiceAccounts', 'The service accounts that get it.', WIDE),
];
const WEBHOOKS: readonly ColumnDefinition[] = [NAME, column('Webhooks', 'How many webhooks it has.', COUNT), AGE];

export const GOVERNANCE_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  APIService: [
    NAME,
    column('Service', 'The service that answers for the group version, or Local.'),
    column('Available', 'Whether it can be asked, and why not.'),
    AGE,
  ],
  CertificateSigningRequest: [
    NAME,
    AGE,
    column('SignerName', 'Who is asked to sign.'),
    column('Requestor', 'Who asks.'),
    column('RequestedDuration', 'How long the certificate should be good for.'),
    column('Condition', 'What was decided and done.'),
  ],
  ClusterRoleBinding: BINDING,
  FlowSchema: [
    NAME,
    column('PriorityLevel', 'The level that its requests belong to.'),
    column('MatchingPrecedence', 'Smaller numbers are tried first.'),
    column('DistinguisherMethod', 'What tells its flows apart.'),
    AGE,
    column('MissingPL', 'Whether the level does not exist.'),
  ],
  MutatingWebhookConfiguration: WEBHOOKS,
  PriorityLevelConfiguration: [
    NAME,
    column('Type', 'Whether its requests are limited.'),
    column('NominalConcurrencyShares', 'Its share of the requests that run at a time.'),
    column('Queues', 'How many queues it has.'),
    column('HandSize', 'How many queues a flow may use.'),
    column('QueueLengthLimit', 'How many requests may wait in a queue.'),
    AGE,
  ],
  RoleBinding: BINDING,
  ValidatingAdmissionPolicy: [
    NAME,
    column('Validations', 'How many expressions it checks.', COUNT),
    column('ParamKind', 'The kind of its parameters.'),
    AGE,
  ],
  ValidatingAdmissionPolicyBinding: [
    NAME,
    column('PolicyName', 'The policy that it puts into effect.'),
    column('ParamRef', 'Where the parameters are found.'),
    AGE,
  ],
  ValidatingWebhookConfiguration: WEBHOOKS,
};
