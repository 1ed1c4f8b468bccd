/**
 * APIService strategy: the name of an APIService derives from its group and version. Without a `service` this server
 * serves the version itself, and the APIService is available from its creation. With one, `apiserver/aggregation`
 * determines whether it is available.
 */
import { invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkDns1035Label, checkDnsSubdomain, checkPathSegment } from '../../../shared/values/name-formats';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { checkFormat, checkRequired, type Errors } from '../rules/checks';
import { CREATE, UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  ApiregistrationV1APIService,
  ApiregistrationV1APIServiceCondition,
  ApiregistrationV1APIServiceSpec,
} from '../../../shared/api/types/generated/members';

const MAX_PRIORITIES = [
  { member: 'groupPriorityMinimum', max: 20_000 },
  { member: 'versionPriority', max: 1000 },
] as const;
const MAX_PORT = 65_535;
const PORT_RULE = 'port is not valid: must be between 1 and 65535, inclusive';
const INSECURE_FIELD = 'spec.insecureSkipTLSVerify';
/** In the order of upstream's message for APIServices, which is not that of other kinds (rules/checks.ts). */
const CONDITION_STATUSES = ['True', 'False', 'Unknown'];

export const apiService: Strategy<ApiregistrationV1APIService> = {
  prepareForCreate(object, { now }) {
    if (object.spec?.service === undefined) object.status = { conditions: [localCondition(now)] };
  },
  createStages: CREATE.earlyFirst,
  validateEarly: validateName,
  validate: validateSpec,
  update: { stages: UPDATE.changeThenObject, validate: validateName },
  status: { validate: validateConditions },
};

function localCondition(now: number): ApiregistrationV1APIServiceCondition {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTimestamp(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

/** The name must match the spec. The stage `metadata` reports malformed names, which are skipped here. */
function validateName(object: ApiregistrationV1APIService): readonly FieldError[] {
  const errors: Errors = [];
  const expected = `${object.spec?.version ?? ''}.${object.spec?.group ?? ''}`;
  for (const member of ['generateName', 'name'] as const) {
    const name = object.metadata?.[member] ?? '';
    if (name === '' || name === expected || checkPathSegment(name).length > 0) continue;
    errors.push(invalidValue(`metadata.${member}`, name, `must be \`spec.version+"."+spec.group\`: "${expected}"`));
  }
  return errors;
}

function validateSpec(object: ApiregistrationV1APIService): readonly FieldError[] {
  const errors: Errors = [];
  const spec = object.spec ?? {};
  checkGroupVersion(spec, errors);
  checkPriorities(spec, errors);
  checkService(spec, errors);
  return errors;
}

function checkGroupVersion(spec: ApiregistrationV1APIServiceSpec, errors: Errors): void {
  const group = spec.group ?? '';
  const version = spec.version ?? '';
  if (group !== '') checkFormat(group, 'spec.group', checkDnsSubdomain, errors);
  else if (version !== 'v1') errors.push(requiredValue('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  checkFormat(version, 'spec.version', checkDns1035Label, errors);
}

function checkPriorities(spec: ApiregistrationV1APIServiceSpec, errors: Errors): void {
  for (const { member, max } of MAX_PRIORITIES) {
    const priority = spec[member] ?? 0;
    if (priority > 0 && priority <= max) continue;
    errors.push(invalidValue(`spec.${member}`, priority, `must be positive and less than ${max}`));
  }
}

function checkService(spec: ApiregistrationV1APIServiceSpec, errors: Errors): void {
  const service = spec.service;
  const bundle = spec.caBundle ?? '';
  const isInsecure = spec.insecureSkipTLSVerify === true;
  if (service === undefined) {
    const bytes = Buffer.byteLength(bundle, 'base64');
    if (bundle !== '') errors.push(invalidValue('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'));
    if (isInsecure) errors.push(invalidValue(INSECURE_FIELD, true, 'local APIServices may not have insecureSkipTLSVerify'));
    return;
  }
  for (const member of ['namespace', 'name'] as const) checkRequired(service, member, 'spec.service', errors);
  const port = service.port ?? 0;
  if (port < 1 || port > MAX_PORT) errors.push(invalidValue('spec.service.port', port, PORT_RULE));
  if (isInsecure && bundle !== '') errors.push(invalidValue(INSECURE_FIELD, true, 'may not be true if caBundle is present'));
}

function validateConditions(object: ApiregistrationV1APIService): readonly FieldError[] {
  const errors: Errors = [];
  object.status?.conditions?.forEach(({ status = '' }, index) => {
    if (CONDITION_STATUSES.includes(status)) return;
    errors.push(unsupportedValue(`status.conditions[${index}].status`, status, CONDITION_STATUSES));
  });
  return errors;
}
