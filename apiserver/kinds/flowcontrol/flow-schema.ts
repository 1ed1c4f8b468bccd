/** FlowSchema: which requests it speaks of, and where it stands among the others. Two of them are what they are. */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import type {
  FlowcontrolV1FlowSchema,
  FlowcontrolV1NonResourcePolicyRule,
  FlowcontrolV1PolicyRulesWithSubjects,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../../shared/api/types/generated/members';
import { checkDnsLabel, checkDnsSubdomain } from '../../../shared/values/name-formats';
import { equalJson } from '../../../shared/values/json';
import { checkFormat, type Errors } from '../rules/checks';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { EXEMPT, MANDATORY_FLOW_SCHEMAS } from './mandatory';
import { conditionFaults } from './status';

const HIGHEST = 10_000;
const METHODS = ['ByNamespace', 'ByUser'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const ANY = '*';

export const flowSchema: Strategy<FlowcontrolV1FlowSchema> = {
  validate,
  update: { stages: UPDATE.newMetadataThenChange, validate },
  status: { validate: conditionFaults },
};

function validate({ metadata, spec = {} }: FlowcontrolV1FlowSchema): readonly FieldError[] {
  const errors: Errors = [];
  const name = metadata?.name ?? '';
  const fixed = MANDATORY_FLOW_SCHEMAS.get(name);
  if (fixed !== undefined && !equalJson(spec, fixed)) {
    errors.push(invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`));
    return errors;
  }
  checkPrecedence(spec.matchingPrecedence ?? 0, name, errors);
  const method = spec.distinguisherMethod;
  if (method !== undefined && !METHODS.includes(method.type ?? ''))
    errors.push(unsupportedValue('spec.distinguisherMethod.type', { ...method }, METHODS));
  checkLevel(spec.priorityLevelConfiguration?.name ?? '', errors);
  spec.rules?.forEach((rule, index) => checkRule(rule, `spec.rules[${index}]`, errors));
  return errors;
}

function checkPrecedence(precedence: number, name: string, errors: Errors): void {
  const field = 'spec.matchingPrecedence';
  if (precedence <= 0) errors.push(invalidValue(field, precedence, 'must be a positive value'));
  if (precedence > HIGHEST) errors.push(invalidValue(field, precedence, `must not be greater than ${HIGHEST}`));
  if (precedence === 1 && name !== EXEMPT)
    errors.push(invalidValue(field, precedence, `only the schema named '${EXEMPT}' may have matchingPrecedence 1`));
}

function checkLevel(level: string, errors: Errors): void {
  const field = 'spec.priorityLevelConfiguration.name';
  if (level === '') errors.push(requiredValue(field, 'must reference a priority level'));
  else checkFormat(level, field, checkDnsSubdomain, errors);
}

function checkRule(rule: FlowcontrolV1PolicyRulesWithSubjects, place: string, errors: Errors): void {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) errors.push(requiredValue(`${place}.subjects`, 'subjects must contain at least one value'));
  subjects.forEach((subject, index) => checkSubject(subject, `${place}.subjects[${index}]`, errors));
  if (resourceRules.length + nonResourceRules.length === 0)
    errors.push(requiredValue(place, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  resourceRules.forEach((one, index) => checkResources(one, `${place}.resourceRules[${index}]`, errors));
  nonResourceRules.forEach((one, index) => checkPaths(one, `${place}.nonResourceRules[${index}]`, errors));
}

const SUBJECTS = [
  { kind: 'ServiceAccount', member: 'serviceAccount' },
  { kind: 'User', member: 'user' },
  { kind: 'Group', member: 'group' },
] as const;
const KINDS = SUBJECTS.map(({ kind }) => kind).sort();

function checkSubject(subject: FlowcontrolV1Subject, place: string, errors: Errors): void {
  const { kind = '' } = subject;
  if (!SUBJECTS.some((one) => one.kind === kind)) {
    errors.push(unsupportedValue(`${place}.kind`, kind, KINDS));
    return;
  }
  for (const { kind: wanted, member } of SUBJECTS) {
    const field = `${place}.${member}`;
    if (wanted === kind && subject[member] === undefined)
      errors.push(requiredValue(field, `${member} is required when subject kind is '${wanted}'`));
    if (wanted !== kind && subject[member] !== undefined)
      errors.push(forbiddenField(field, `${member} is forbidden when subject kind is not '${wanted}'`));
  }
  if (kind === 'User' && subject.user?.name === '') errors.push(requiredValue(`${place}.user.name`));
  if (kind === 'Group' && subject.group?.name === '') errors.push(requiredValue(`${place}.group.name`));
  if (kind === 'ServiceAccount' && subject.serviceAccount !== undefined) checkAccount(subject.serviceAccount, place, errors);
}

function checkAccount(
  { name = '', namespace = '' }: NonNullable<FlowcontrolV1Subject['serviceAccount']>,
  place: string,
  errors: Errors,
): void {
  const at = `${place}.serviceAccount`;
  if (name === '') errors.push(requiredValue(`${at}.name`));
  else if (name !== ANY) checkFormat(name, `${at}.name`, checkDnsSubdomain, errors);
  if (namespace === '') errors.push(requiredValue(`${at}.namespace`, 'must specify namespace for service account'));
  else checkFormat(namespace, `${at}.namespace`, checkDnsLabel, errors);
}

/** At least one value, and no other beside `*`. Whether there is more to say of the values. */
function checkValues(values: readonly string[], field: string, missing: string, what: string, errors: Errors): boolean {
  if (values.length === 0) errors.push(requiredValue(field, missing));
  else if (values.length > 1 && values.includes(ANY))
    errors.push(invalidValue(field, values, `if '*' is present, must not specify other ${what}`));
  return values.length > 0 && !values.includes(ANY);
}

function checkVerbs(verbs: readonly string[], field: string, errors: Errors): void {
  if (!checkValues(verbs, field, 'verbs must contain at least one value', 'verbs', errors)) return;
  if (!verbs.every((verb) => VERBS.includes(verb))) errors.push(unsupportedValue(field, verbs, VERBS));
}

function checkResources(rule: FlowcontrolV1ResourcePolicyRule, place: string, errors: Errors): void {
  const [apiGroups, resources, namespaces] = [rule.apiGroups ?? [], rule.resources ?? [], rule.namespaces ?? []];
  checkVerbs(rule.verbs ?? [], `${place}.verbs`, errors);
  checkValues(apiGroups, `${place}.apiGroups`, 'resource rules must supply at least one api group', 'api groups', errors);
  checkValues(resources, `${place}.resources`, 'resource rules must supply at least one resource', 'resources', errors);
  const field = `${place}.namespaces`;
  if (namespaces.length === 0) {
    if (rule.clusterScope !== true)
      errors.push(requiredValue(field, 'resource rules that are not cluster scoped must supply at least one namespace'));
    return;
  }
  if (!checkValues(namespaces, field, '', 'namespaces', errors)) return;
  namespaces.forEach((namespace, index) => {
    for (const fault of checkDnsLabel(namespace)) {
      errors.push(invalidValue(`${field}[${index}]`, namespace, `each member of this list must be '*' or a DNS-1123 label; ${fault}`));
    }
  });
}

function checkPaths(rule: FlowcontrolV1NonResourcePolicyRule, place: string, errors: Errors): void {
  const nonResourceURLs = rule.nonResourceURLs ?? [];
  checkVerbs(rule.verbs ?? [], `${place}.verbs`, errors);
  const field = `${place}.nonResourceURLs`;
  if (!checkValues(nonResourceURLs, field, 'nonResourceURLs must contain at least one value', 'non-resource URLs', errors)) return;
  nonResourceURLs.forEach((path, index) => {
    const fault = pathFault(path);
    if (fault !== undefined) errors.push(invalidValue(`${field}[${index}]`, path, fault));
  });
}

function pathFault(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const star = path.indexOf(ANY);
  return star >= 0 && (star !== path.length - 1 || !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
