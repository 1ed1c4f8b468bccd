/**
 * Validates the environment variables of containers: a variable has a value, one source, or neither. The referenced
 * ConfigMaps and Secrets are not looked up.
 */
import { invalidValue } from '../../../../../shared/api/errors/field-error';
import { checkConfigKey, checkDnsSubdomain, patternMessage, type NameCheck } from '../../../../../shared/values/name-formats';
import { checkUnionMembers, type UnionMemberOf } from '../../../rules/union-members';
import { checkFormat, checkRequired, type Errors } from '../../../rules/checks';
import { checkObjectFieldSelector, checkResourceFieldSelector, ENV_FIELD_PATHS } from '../volumes/downward-api';
import type {
  CoreV1ConfigMapKeySelector,
  CoreV1Container,
  CoreV1EnvFromSource,
  CoreV1EnvVarSource,
} from '../../../../../shared/api/types/generated/members';

/** A name such as `LOG_LEVEL`, `log.level` or `log-level`. */
const ENV_VAR_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const ENV_VAR_NAME_TEXT = patternMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);

const checkEnvVarName: NameCheck = (name) => {
  const errors = ENV_VAR_NAME.test(name) ? [] : [ENV_VAR_NAME_TEXT];
  if (name === '.' || name === '..') errors.push(`must not be '${name}'`);
  else if (name.startsWith('..')) errors.push("must not start with '..'");
  return errors;
};

export function checkEnv(container: CoreV1Container, fieldPath: string, errors: Errors): void {
  container.env?.forEach((variable, index) => {
    const field = `${fieldPath}.env[${index}]`;
    checkRequired(variable, 'name', field, errors, checkEnvVarName);
    const source = variable.valueFrom;
    if (source !== undefined) checkEnvVarSource(source, variable.value ?? '', `${field}.valueFrom`, errors);
  });
  container.envFrom?.forEach((source, index) => checkEnvFromSource(source, { list: `${fieldPath}.envFrom`, index }, errors));
}

const ENV_VAR_SOURCES: readonly UnionMemberOf<CoreV1EnvVarSource>[] = [
  { member: 'fieldRef', rule: (source, fieldPath, errors) => checkObjectFieldSelector(source, fieldPath, ENV_FIELD_PATHS, errors) },
  {
    member: 'resourceFieldRef',
    rule: (source, fieldPath, errors) => checkResourceFieldSelector(source, fieldPath, { needsContainerName: false }, errors),
  },
  { member: 'configMapKeyRef', rule: checkKeySelector },
  { member: 'secretKeyRef', rule: checkKeySelector },
];

/** `value` is that of the variable, which excludes a source. */
function checkEnvVarSource(source: CoreV1EnvVarSource, value: string, fieldPath: string, errors: Errors): void {
  const count = checkUnionMembers(source, fieldPath, ENV_VAR_SOURCES, errors);
  const addError = (text: string): void => {
    errors.push(invalidValue(fieldPath, '', text));
  };
  if (count === 0) addError('must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`');
  else if (value !== '') addError('may not be specified when `value` is not empty');
  else if (count > 1) addError('may not have more than one field specified at a time');
}

/** An empty name is reported as invalid, not as missing (upstream behaviour). */
function checkKeySelector(source: CoreV1ConfigMapKeySelector, fieldPath: string, errors: Errors): void {
  checkFormat(source.name ?? '', `${fieldPath}.name`, checkDnsSubdomain, errors);
  checkRequired(source, 'key', fieldPath, errors, checkConfigKey);
}

/** Errors of the number of sources are reported at the list (upstream behaviour). */
function checkEnvFromSource(
  source: CoreV1EnvFromSource,
  { list, index }: { readonly list: string; readonly index: number },
  errors: Errors,
): void {
  const prefix = source.prefix ?? '';
  if (prefix !== '') checkFormat(prefix, `${list}[${index}].prefix`, checkEnvVarName, errors);
  let count = 0;
  for (const member of ['configMapRef', 'secretRef'] as const) {
    const reference = source[member];
    if (reference === undefined) continue;
    count += 1;
    checkRequired(reference, 'name', `${list}[${index}].${member}`, errors, checkDnsSubdomain);
  }
  if (count === 0) errors.push(invalidValue(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (count > 1) errors.push(invalidValue(list, '', 'may not have more than one field specified at a time'));
}
