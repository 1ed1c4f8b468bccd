/** Cells of kinds for access control, admission and API priority and fairness. */
import { objectAt, own, sortedKeys, stringAt, type JsonObject } from '../../../shared/values/json';
import { formatAge } from '../table/age';
import { lengthAt, creationAge, nameOf, NONE, numberAt, objectsAt, scalarText, textsAt, UNSET, type PrintCells } from '../table/cell';
import type { Cell } from '../table/convertor';

export const GOVERNANCE_CELLS: Readonly<Record<string, PrintCells>> = {
  APIService: (object) => {
    const service = objectAt(objectAt(object, 'spec'), 'service');
    const serviceText = service === undefined ? 'Local' : `${stringAt(service, 'namespace') ?? ''}/${stringAt(service, 'name') ?? ''}`;
    return [nameOf(object), serviceText, availability(object), creationAge(object)];
  },
  CertificateSigningRequest: certificateRequestCells,
  ClusterRoleBinding: bindingCells,
  FlowSchema: (object) => {
    const spec = objectAt(object, 'spec');
    return [
      nameOf(object),
      stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name') ?? '',
      numberAt(spec, 'matchingPrecedence'),
      stringAt(objectAt(spec, 'distinguisherMethod'), 'type') ?? NONE,
      creationAge(object),
      conditionStatus(object, 'Dangling') ?? '?',
    ];
  },
  MutatingWebhookConfiguration: (object) => [nameOf(object), lengthAt(object, 'webhooks'), creationAge(object)],
  PriorityLevelConfiguration: priorityLevelCells,
  RoleBinding: bindingCells,
  ValidatingAdmissionPolicy: (object) => {
    const spec = objectAt(object, 'spec');
    const kind = objectAt(spec, 'paramKind');
    const kindText = kind === undefined ? UNSET : `${stringAt(kind, 'apiVersion') ?? ''}/${stringAt(kind, 'kind') ?? ''}`;
    return [nameOf(object), lengthAt(spec, 'validations'), kindText, creationAge(object)];
  },
  ValidatingAdmissionPolicyBinding: (object) => {
    const spec = objectAt(object, 'spec');
    return [nameOf(object), stringAt(spec, 'policyName') ?? '', parameterText(objectAt(spec, 'paramRef')), creationAge(object)];
  },
  ValidatingWebhookConfiguration: (object) => [nameOf(object), lengthAt(object, 'webhooks'), creationAge(object)],
};

/** The reason is shown when the service is not available. */
function availability(object: JsonObject): string {
  const condition = objectsAt(objectAt(object, 'status'), 'conditions').find((condition) => stringAt(condition, 'type') === 'Available');
  const [status, reason] = [stringAt(condition, 'status') ?? 'Unknown', stringAt(condition, 'reason') ?? ''];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

function conditionStatus(object: JsonObject, type: string): string | undefined {
  const condition = objectsAt(objectAt(object, 'status'), 'conditions').find((condition) => stringAt(condition, 'type') === type);
  return stringAt(condition, 'status');
}

function bindingCells(object: JsonObject): Cell[] {
  const role = objectAt(object, 'roleRef');
  const subjectNames = (kind: string): string[] =>
    objectsAt(object, 'subjects')
      .filter((subject) => stringAt(subject, 'kind') === kind)
      .map((subject) => {
        const subjectName = stringAt(subject, 'name') ?? '';
        return kind === 'ServiceAccount' ? `${stringAt(subject, 'namespace') ?? ''}/${subjectName}` : subjectName;
      });
  return [
    nameOf(object),
    `${stringAt(role, 'kind') ?? ''}/${stringAt(role, 'name') ?? ''}`,
    creationAge(object),
    subjectNames('User').join(', '),
    subjectNames('Group').join(', '),
    subjectNames('ServiceAccount').join(', '),
  ];
}

function certificateRequestCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const seconds = own(spec ?? {}, 'expirationSeconds');
  return [
    nameOf(object),
    creationAge(object),
    stringAt(spec, 'signerName') ?? NONE,
    stringAt(spec, 'username') ?? '',
    typeof seconds === 'number' ? formatAge(seconds * 1000) : NONE,
    certificateRequestState(object),
  ];
}

function certificateRequestState(object: JsonObject): string {
  const types = new Set(objectsAt(objectAt(object, 'status'), 'conditions').map((condition) => stringAt(condition, 'type')));
  const state = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const certificate = stringAt(objectAt(object, 'status'), 'certificate') ?? '';
  return `${state}${types.has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}

function priorityLevelCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const limited = objectAt(spec, 'limited');
  const queuing = objectAt(objectAt(limited, 'limitResponse'), 'queuing');
  const shares = limited === undefined ? NONE : numberAt(limited, 'nominalConcurrencyShares');
  const queued = (member: string): Cell => (queuing === undefined ? NONE : numberAt(queuing, member));
  return [
    nameOf(object),
    stringAt(spec, 'type') ?? '',
    shares,
    queued('queues'),
    queued('handSize'),
    queued('queueLengthLimit'),
    creationAge(object),
  ];
}

/** `namespace/name` of a named parameter; for a selector, the Go representation that upstream prints. */
function parameterText(reference: JsonObject | undefined): string {
  if (reference === undefined) return UNSET;
  const byName = stringAt(reference, 'name') ?? '';
  if (byName !== '') {
    const namespace = stringAt(reference, 'namespace') ?? '';
    return namespace === '' ? `*/${byName}` : `${namespace}/${byName}`;
  }
  const selector = objectAt(reference, 'selector');
  if (selector === undefined) return UNSET;
  const labels = objectAt(selector, 'matchLabels') ?? {};
  const pairs = sortedKeys(labels).map((key) => `${key}: ${scalarText(labels, key) ?? ''},`);
  const requirements = objectsAt(selector, 'matchExpressions').map((expression) => {
    const values = textsAt(expression, 'values').join(' ');
    return `LabelSelectorRequirement{Key:${stringAt(expression, 'key') ?? ''},Operator:${stringAt(expression, 'operator') ?? ''},Values:[${values}],},`;
  });
  const map = `map[string]string{${pairs.join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}
