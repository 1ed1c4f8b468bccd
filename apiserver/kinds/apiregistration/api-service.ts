/**
 * APIService: who answers for a version of an API group. Its name says which; without a service it is this server itself, and then it is there
 * from the first.
 */
import { invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { dns1035Label, dnsSubdomain, pathSegment } from '../../../shared/values/name-formats';
import { readMetadata, timestamp } from '../../../shared/api/metadata/object-meta';

import { listed, misnamed, numberAt } from '../rules/field-rules';
import { CREATE, UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const HIGHEST_PRIORITY = { groupPriorityMinimum: 20_000, versionPriority: 1000 };
const HIGHEST_PORT = 65_535;
const PORT_RULE = 'port is not valid: must be between 1 and 65535, inclusive';
const INSECURE = 'spec.insecureSkipTLSVerify';
const CONDITION_STATUSES = ['True', 'False', 'Unknown'];

export const apiService: Strategy = {
  prepareForCreate(object, { now }) {
    if (serviceOf(object) === undefined) object['status'] = { conditions: [localCondition(now)] };
  },
  createStages: CREATE.earlyFirst,
  validateEarly: nameErrors,
  validate: specErrors,
  update: { stages: UPDATE.changeThenObject, validate: nameErrors },
  status: { validate: conditionErrors },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const serviceOf = (object: JsonObject): JsonObject | undefined => objectAt(specOf(object), 'service');

function localCondition(now: number): JsonObject {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

/** The name follows from the spec; one that could not be a name at all is told as such elsewhere. */
function nameErrors(object: JsonObject): readonly FieldError[] {
  const spec = specOf(object);
  const expected = `${stringAt(spec, 'version') ?? ''}.${stringAt(spec, 'group') ?? ''}`;
  return ['generateName', 'name'].flatMap((member) => {
    const given = stringAt(readMetadata(object), member) ?? '';
    if (given === '' || given === expected || pathSegment(given).length > 0) return [];
    return [invalidValue(`metadata.${member}`, given, `must be \`spec.version+"."+spec.group\`: "${expected}"`)];
  });
}

function specErrors(object: JsonObject): readonly FieldError[] {
  const spec = specOf(object);
  return [...groupVersionErrors(spec), ...priorityErrors(spec), ...serviceErrors(spec)];
}

function groupVersionErrors(spec: JsonObject): readonly FieldError[] {
  const [group, version] = [stringAt(spec, 'group') ?? '', stringAt(spec, 'version') ?? ''];
  const ofGroup = group === '' ? legacyErrors(version) : misnamed(group, 'spec.group', dnsSubdomain);
  return [...ofGroup, ...misnamed(version, 'spec.version', dns1035Label)];
}

function legacyErrors(version: string): readonly FieldError[] {
  return version === 'v1' ? [] : [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')];
}

function priorityErrors(spec: JsonObject): readonly FieldError[] {
  return Object.entries(HIGHEST_PRIORITY).flatMap(([member, highest]) => {
    const priority = numberAt(spec, member);
    const isGood = priority > 0 && priority <= highest;
    return isGood ? [] : [invalidValue(`spec.${member}`, priority, `must be positive and less than ${highest}`)];
  });
}

function serviceErrors(spec: JsonObject): readonly FieldError[] {
  const [service, bundle] = [objectAt(spec, 'service'), stringAt(spec, 'caBundle') ?? ''];
  const isInsecure = own(spec, 'insecureSkipTLSVerify') === true;
  const errors: FieldError[] = [];
  if (service === undefined) {
    const bytes = Buffer.byteLength(bundle, 'base64');
    if (bundle !== '') errors.push(invalidValue('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'));
    if (isInsecure) errors.push(invalidValue(INSECURE, true, 'local APIServices may not have insecureSkipTLSVerify'));
    return errors;
  }
  for (const member of ['namespace', 'name']) {
    if ((stringAt(service, member) ?? '') === '') errors.push(required(`spec.service.${member}`));
  }
  const port = numberAt(service, 'port');
  if (port < 1 || port > HIGHEST_PORT) errors.push(invalidValue('spec.service.port', port, PORT_RULE));
  if (isInsecure && bundle !== '') errors.push(invalidValue(INSECURE, true, 'may not be true if caBundle is present'));
  return errors;
}

function conditionErrors(object: JsonObject): readonly FieldError[] {
  return listed(objectAt(object, 'status'), 'conditions').flatMap((condition, index) => {
    const status = stringAt(condition, 'status') ?? '';
    return CONDITION_STATUSES.includes(status) ? [] : [notSupported(`status.conditions[${index}].status`, status, CONDITION_STATUSES)];
  });
}
