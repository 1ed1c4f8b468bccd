/**
 * FlowSchema strategy: rules, subjects and precedence. The specs of the two mandatory schemas are fixed. Whether the
 * priority level exists is not checked: the reconciler reports it as a condition.
 */
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
import { EXEMPT, MANDATORY_FLOW_SCHEMAS } from './mandatory-objects';
import { validateConditions } from './conditions';

const MAX_PRECEDENCE = 10_000;
const DISTINGUISHER_METHODS = ['ByNamespace', 'ByUser'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const ANY = '*';

export const flowSchema: Strategy<FlowcontrolV1FlowSchema> = {
  validate,
  update: { stages: UPDATE.newMetadataThenChange, validate },
  status: { validate: validateConditions },
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
  if (method !== undefined && !DISTINGUISHER_METHODS.includes(method.type ?? '')) {
    errors.push(unsupportedValue('spec.distinguisherMethod.type', { ...method }, DISTINGUISHER_METHODS));
  }
  checkPriorityLevelName(spec.priorityLevelConfiguration?.name ?? '', errors);
  spec.rules?.forEach((rule, index) => checkRule(rule, `spec.rules[${index}]`, errors));
  return errors;
}

function checkPrecedence(precedence: number, name: string, errors: Errors): void {
  const field = 'spec.matchingPrecedence';
  if (precedence <= 0) errors.push(invalidValue(field, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE) errors.push(invalidValue(field, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && name !== EXEMPT) {
    errors.push(invalidValue(field, precedence, `only the schema named '${EXEMPT}' may have matchingPrecedence 1`));
  }
}

function checkPriorityLevelName(level: string, errors: Errors): void {
  const field = 'spec.priorityLevelConfiguration.name';
  if (level === '') errors.push(requiredValue(field, 'must reference a priority level'));
  else checkFormat(level, field, checkDnsSubdomain, errors);
}

function checkRule(rule: FlowcontrolV1PolicyRulesWithSubjects, fieldPath: string, errors: Errors): void {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) errors.push(requiredValue(`${fieldPath}.subjects`, 'subjects must contain at least one value'));
  subjects.forEach((subject, index) => checkSubject(subject, `${fieldPath}.subjects[${index}]`, errors));
  if (resourceRules.length + nonResourceRules.length === 0) {
    errors.push(requiredValue(fieldPath, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  resourceRules.forEach((resourceRule, index) => checkResourceRule(resourceRule, `${fieldPath}.resourceRules[${index}]`, errors));
  nonResourceRules.forEach((nonResourceRule, index) =>
    checkNonResourceRule(nonResourceRule, `${fieldPath}.nonResourceRules[${index}]`, errors),
  );
}

/** In the order of errors. */
const SUBJECTS = [
  { kind: 'ServiceAccount', member: 'serviceAccount' },
  { kind: 'User', member: 'user' },
  { kind: 'Group', member: 'group' },
] as const;
/** In the order of messages. */
const SUBJECT_KINDS = SUBJECTS.map(({ kind }) => kind).sort();

function checkSubject(subject: FlowcontrolV1Subject, fieldPath: string, errors: Errors): void {
  const { kind = '' } = subject;
  if (!SUBJECTS.some((row) => row.kind === kind)) {
    errors.push(unsupportedValue(`${fieldPath}.kind`, kind, SUBJECT_KINDS));
    return;
  }
  for (const { kind: kindOfMember, member } of SUBJECTS) {
    const field = `${fieldPath}.${member}`;
    const isMissing = subject[member] === undefined;
    if (kindOfMember === kind) {
      if (isMissing) errors.push(requiredValue(field, `${member} is required when subject kind is '${kind}'`));
    } else if (!isMissing) {
      errors.push(forbiddenField(field, `${member} is forbidden when subject kind is not '${kindOfMember}'`));
    }
  }
  if (kind === 'User' && subject.user?.name === '') errors.push(requiredValue(`${fieldPath}.user.name`));
  if (kind === 'Group' && subject.group?.name === '') errors.push(requiredValue(`${fieldPath}.group.name`));
  if (kind === 'ServiceAccount' && subject.serviceAccount !== undefined) checkAccount(subject.serviceAccount, fieldPath, errors);
}

function checkAccount(
  { name = '', namespace = '' }: NonNullable<FlowcontrolV1Subject['serviceAccount']>,
  fieldPath: string,
  errors: Errors,
): void {
  const accountPath = `${fieldPath}.serviceAccount`;
  if (name === '') errors.push(requiredValue(`${accountPath}.name`));
  else if (name !== ANY) checkFormat(name, `${accountPath}.name`, checkDnsSubdomain, errors);
  if (namespace === '') errors.push(requiredValue(`${accountPath}.namespace`, 'must specify namespace for service account'));
  else checkFormat(namespace, `${accountPath}.namespace`, checkDnsLabel, errors);
}

/** The texts of the errors of a list. */
interface ListTexts {
  /** The detail of the error when the list is empty. */
  readonly missing: string;
  /** The name of the values, such as `verbs`. */
  readonly plural: string;
}

/**
 * Requires at least one value and none beside `*`. Returns whether the single values need further validation: there are
 * some, and no `*`.
 */
function checkWildcardList(values: readonly string[], field: string, { missing, plural }: ListTexts, errors: Errors): boolean {
  if (values.length === 0) errors.push(requiredValue(field, missing));
  else if (values.length > 1 && values.includes(ANY)) {
    errors.push(invalidValue(field, values, `if '*' is present, must not specify other ${plural}`));
  }
  return values.length > 0 && !values.includes(ANY);
}

function checkVerbs(verbs: readonly string[], field: string, errors: Errors): void {
  if (!checkWildcardList(verbs, field, { missing: 'verbs must contain at least one value', plural: 'verbs' }, errors)) return;
  if (!verbs.every((verb) => VERBS.includes(verb))) errors.push(unsupportedValue(field, verbs, VERBS));
}

function checkResourceRule(rule: FlowcontrolV1ResourcePolicyRule, fieldPath: string, errors: Errors): void {
  const apiGroups = rule.apiGroups ?? [];
  const resources = rule.resources ?? [];
  const namespaces = rule.namespaces ?? [];
  checkVerbs(rule.verbs ?? [], `${fieldPath}.verbs`, errors);
  const groupTexts = { missing: 'resource rules must supply at least one api group', plural: 'api groups' };
  checkWildcardList(apiGroups, `${fieldPath}.apiGroups`, groupTexts, errors);
  const resourceTexts = { missing: 'resource rules must supply at least one resource', plural: 'resources' };
  checkWildcardList(resources, `${fieldPath}.resources`, resourceTexts, errors);
  const field = `${fieldPath}.namespaces`;
  if (namespaces.length === 0) {
    if (rule.clusterScope !== true) {
      errors.push(requiredValue(field, 'resource rules that are not cluster scoped must supply at least one namespace'));
    }
    return;
  }
  const namespaceTexts = { missing: '', plural: 'namespaces' };
  if (!checkWildcardList(namespaces, field, namespaceTexts, errors)) return;
  namespaces.forEach((namespace, index) => {
    for (const error of checkDnsLabel(namespace)) {
      errors.push(invalidValue(`${field}[${index}]`, namespace, `each member of this list must be '*' or a DNS-1123 label; ${error}`));
    }
  });
}

function checkNonResourceRule(rule: FlowcontrolV1NonResourcePolicyRule, fieldPath: string, errors: Errors): void {
  const nonResourceURLs = rule.nonResourceURLs ?? [];
  checkVerbs(rule.verbs ?? [], `${fieldPath}.verbs`, errors);
  const field = `${fieldPath}.nonResourceURLs`;
  const texts = { missing: 'nonResourceURLs must contain at least one value', plural: 'non-resource URLs' };
  if (!checkWildcardList(nonResourceURLs, field, texts, errors)) return;
  nonResourceURLs.forEach((path, index) => {
    const error = urlPathError(path);
    if (error !== undefined) errors.push(invalidValue(`${field}[${index}]`, path, error));
  });
}

/** Allows a wildcard only as the whole last segment, as in `/apis/*`. `undefined` for a valid path. */
function urlPathError(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const wildcard = path.indexOf(ANY);
  const isLastSegment = wildcard === path.length - 1 && path.endsWith('/*');
  return wildcard < 0 || isLastSegment ? undefined : 'wildcard can only do suffix matching';
}
