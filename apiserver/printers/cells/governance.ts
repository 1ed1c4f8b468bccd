/**
 * Cells of kinds for access control, admission and API priority and fairness. The cells of an object are in the order
 * of the columns in ../columns/governance.ts, and are compared with recorded rows.
 */
import type {
  AdmissionregistrationV1ParamRef,
  ApiregistrationV1APIService,
  CertificatesV1CertificateSigningRequest,
  FlowcontrolV1PriorityLevelConfiguration,
  RbacV1ClusterRoleBinding,
  RbacV1RoleBinding,
} from '../../../shared/api/types/generated/members';
import { sortedKeys } from '../../../shared/values/json';
import { formatAge } from '../table/age';
import { creationAge, nameOf, NONE, UNSET, type CellTable } from '../table/cell';
import type { Cell } from '../table/convertor';

/** By the type in which objects are stored. */
export const GOVERNANCE_CELLS = {
  'apiregistration.v1.APIService': (object) => {
    const service = object.spec?.service;
    const serviceText = service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
    return [nameOf(object), serviceText, availability(object), creationAge(object)];
  },
  'certificates.v1.CertificateSigningRequest': certificateRequestCells,
  'rbac.v1.ClusterRoleBinding': bindingCells,
  'flowcontrol.v1.FlowSchema': (object) => {
    const { priorityLevelConfiguration, matchingPrecedence = 0, distinguisherMethod } = object.spec ?? {};
    return [
      nameOf(object),
      priorityLevelConfiguration?.name ?? '',
      matchingPrecedence,
      distinguisherMethod?.type ?? NONE,
      creationAge(object),
      object.status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ];
  },
  'admissionregistration.v1.MutatingWebhookConfiguration': (object) => [nameOf(object), object.webhooks?.length ?? 0, creationAge(object)],
  'flowcontrol.v1.PriorityLevelConfiguration': priorityLevelCells,
  'rbac.v1.RoleBinding': bindingCells,
  'admissionregistration.v1.ValidatingAdmissionPolicy': (object) => {
    const { paramKind, validations = [] } = object.spec ?? {};
    const kindText = paramKind === undefined ? UNSET : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
    return [nameOf(object), validations.length, kindText, creationAge(object)];
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': (object) => {
    const { policyName = '', paramRef } = object.spec ?? {};
    return [nameOf(object), policyName, parameterText(paramRef), creationAge(object)];
  },
  'admissionregistration.v1.ValidatingWebhookConfiguration': (object) => [
    nameOf(object),
    object.webhooks?.length ?? 0,
    creationAge(object),
  ],
} satisfies CellTable;

/** `True`; when the service is not available, with the reason: `False (MissingEndpoints)`. */
function availability({ status: serviceStatus }: ApiregistrationV1APIService): string {
  const condition = serviceStatus?.conditions?.find(({ type }) => type === 'Available');
  const { status = 'Unknown', reason = '' } = condition ?? {};
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

function bindingCells(binding: RbacV1ClusterRoleBinding | RbacV1RoleBinding): Cell[] {
  const { roleRef = {}, subjects = [] } = binding;
  const subjectNames = (kind: string): string =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(({ namespace = '', name = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
      .join(', ');
  return [
    nameOf(binding),
    `${roleRef.kind ?? ''}/${roleRef.name ?? ''}`,
    creationAge(binding),
    subjectNames('User'),
    subjectNames('Group'),
    subjectNames('ServiceAccount'),
  ];
}

function certificateRequestCells(request: CertificatesV1CertificateSigningRequest): Cell[] {
  const { expirationSeconds, signerName = NONE, username = '' } = request.spec ?? {};
  return [
    nameOf(request),
    creationAge(request),
    signerName,
    username,
    expirationSeconds === undefined ? NONE : formatAge(expirationSeconds * 1000),
    certificateRequestState(request),
  ];
}

/**
 * The decision about the request and what became of it, such as `Approved,Issued` or `Pending`. A denial takes precedence
 * over an approval.
 */
function certificateRequestState({ status }: CertificatesV1CertificateSigningRequest): string {
  const { conditions = [], certificate = '' } = status ?? {};
  const types = new Set(conditions.map(({ type }) => type));
  const decision = ['Denied', 'Approved'].find((type) => types.has(type)) ?? 'Pending';
  return `${decision}${types.has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}

function priorityLevelCells(level: FlowcontrolV1PriorityLevelConfiguration): Cell[] {
  const { type = '', limited } = level.spec ?? {};
  const queuing = limited?.limitResponse?.queuing;
  const queued = (count: number | undefined): Cell => (queuing === undefined ? NONE : (count ?? 0));
  return [
    nameOf(level),
    type,
    limited === undefined ? NONE : (limited.nominalConcurrencyShares ?? 0),
    queued(queuing?.queues),
    queued(queuing?.handSize),
    queued(queuing?.queueLengthLimit),
    creationAge(level),
  ];
}

/**
 * `NAMESPACE/NAME` of a named parameter, with `*` for the namespace of the request; for a selector, the Go representation
 * that upstream prints.
 */
function parameterText(reference: AdmissionregistrationV1ParamRef | undefined): string {
  if (reference === undefined) return UNSET;
  const { name = '', namespace = '', selector } = reference;
  if (name !== '') return namespace === '' ? `*/${name}` : `${namespace}/${name}`;
  if (selector === undefined) return UNSET;
  const { matchLabels: labels = {}, matchExpressions = [] } = selector;
  const pairs = sortedKeys(labels).map((key) => `${key}: ${labels[key] ?? ''},`);
  const requirements = matchExpressions.map(
    ({ key = '', operator = '', values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const map = `map[string]string{${pairs.join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}
