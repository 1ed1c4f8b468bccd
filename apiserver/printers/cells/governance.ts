/** Cells of who may do what, and of how requests are treated. */
import { objectAt, own, sortedKeys, stringAt, type JsonObject } from '../../../shared/values/json';
import { age } from '../table/age';
import { count, created, name, NONE, numberAt, objects, scalarText, texts, UNSET, type Cells } from '../table/cell';
import type { Cell } from '../table/printer';

export const GOVERNANCE_CELLS: Readonly<Record<string, Cells>> = {
  APIService: (object) => {
    const service = objectAt(objectAt(object, 'spec'), 'service');
    const place = service === undefined ? 'Local' : `${stringAt(service, 'namespace') ?? ''}/${stringAt(service, 'name') ?? ''}`;
    return [name(object), place, availability(object), created(object)];
  },
  CertificateSigningRequest: requestCells,
  ClusterRoleBinding: bindingCells,
  FlowSchema: (object) => {
    const spec = objectAt(object, 'spec');
    return [
      name(object),
      stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name') ?? '',
      numberAt(spec, 'matchingPrecedence'),
      stringAt(objectAt(spec, 'distinguisherMethod'), 'type') ?? NONE,
      created(object),
      conditionStatus(object, 'Dangling') ?? '?',
    ];
  },
  MutatingWebhookConfiguration: (object) => [name(object), count(object, 'webhooks'), created(object)],
  PriorityLevelConfiguration: levelCells,
  RoleBinding: bindingCells,
  ValidatingAdmissionPolicy: (object) => {
    const spec = objectAt(object, 'spec');
    const kind = objectAt(spec, 'paramKind');
    const kindText = kind === undefined ? UNSET : `${stringAt(kind, 'apiVersion') ?? ''}/${stringAt(kind, 'kind') ?? ''}`;
    return [name(object), count(spec, 'validations'), kindText, created(object)];
  },
  ValidatingAdmissionPolicyBinding: (object) => {
    const spec = objectAt(object, 'spec');
    return [name(object), stringAt(spec, 'policyName') ?? '', parameterText(objectAt(spec, 'paramRef')), created(object)];
  },
  ValidatingWebhookConfiguration: (object) => [name(object), count(object, 'webhooks'), created(object)],
};

/** A reason is shown of what is not available. */
function availability(object: JsonObject): string {
  const found = objects(objectAt(object, 'status'), 'conditions').find((condition) => stringAt(condition, 'type') === 'Available');
  const [status, reason] = [stringAt(found, 'status') ?? 'Unknown', stringAt(found, 'reason') ?? ''];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

function conditionStatus(object: JsonObject, type: string): string | undefined {
  const found = objects(objectAt(object, 'status'), 'conditions').find((condition) => stringAt(condition, 'type') === type);
  return stringAt(found, 'status');
}

function bindingCells(object: JsonObject): Cell[] {
  const role = objectAt(object, 'roleRef');
  const named = (kind: string): string[] =>
    objects(object, 'subjects')
      .filter((subject) => stringAt(subject, 'kind') === kind)
      .map((subject) => {
        const subjectName = stringAt(subject, 'name') ?? '';
        return kind === 'ServiceAccount' ? `${stringAt(subject, 'namespace') ?? ''}/${subjectName}` : subjectName;
      });
  return [
    name(object),
    `${stringAt(role, 'kind') ?? ''}/${stringAt(role, 'name') ?? ''}`,
    created(object),
    named('User').join(', '),
    named('Group').join(', '),
    named('ServiceAccount').join(', '),
  ];
}

function requestCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const seconds = own(spec ?? {}, 'expirationSeconds');
  return [
    name(object),
    created(object),
    stringAt(spec, 'signerName') ?? NONE,
    stringAt(spec, 'username') ?? '',
    typeof seconds === 'number' ? age(seconds * 1000) : NONE,
    requestState(object),
  ];
}

function requestState(object: JsonObject): string {
  const types = new Set(objects(objectAt(object, 'status'), 'conditions').map((condition) => stringAt(condition, 'type')));
  const state = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const certificate = stringAt(objectAt(object, 'status'), 'certificate') ?? '';
  return `${state}${types.has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}

function levelCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const limited = objectAt(spec, 'limited');
  const queuing = objectAt(objectAt(limited, 'limitResponse'), 'queuing');
  const shares = limited === undefined ? NONE : numberAt(limited, 'nominalConcurrencyShares');
  const queued = (member: string): Cell => (queuing === undefined ? NONE : numberAt(queuing, member));
  return [
    name(object),
    stringAt(spec, 'type') ?? '',
    shares,
    queued('queues'),
    queued('handSize'),
    queued('queueLengthLimit'),
    created(object),
  ];
}

/** By name, `namespace/name`; by selector, the selector in the form that upstream prints. */
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
  const requirements = objects(selector, 'matchExpressions').map((expression) => {
    const values = texts(expression, 'values').join(' ');
    return `LabelSelectorRequirement{Key:${stringAt(expression, 'key') ?? ''},Operator:${stringAt(expression, 'operator') ?? ''},Values:[${values}],},`;
  });
  const map = `map[string]string{${pairs.join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}
