/** The variables of a container: names, values and where they come from. Never looks at what the sources hold. */
import { invalidValue } from '../../../../shared/api/errors/field-error';
import { checkConfigKey, checkDnsSubdomain, patternMessage, type NameCheck } from '../../../../shared/values/name-formats';
import { checkParts, type PartOf } from '../../rules/parts';
import { checkFormat, checkRequired, type Errors } from '../../rules/checks';
import { checkFieldReference, checkResourceReference, VARIABLE_FIELDS } from './downward';
import type {
  CoreV1ConfigMapKeySelector,
  CoreV1Container,
  CoreV1EnvFromSource,
  CoreV1EnvVarSource,
} from '../../../../shared/api/types/generated/members';

const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const VARIABLE_TEXT = patternMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);

const variableName: NameCheck = (name) => {
  const faults = VARIABLE.test(name) ? [] : [VARIABLE_TEXT];
  if (name === '.' || name === '..') faults.push(`must not be '${name}'`);
  else if (name.startsWith('..')) faults.push("must not start with '..'");
  return faults;
};

export function checkVariables(container: CoreV1Container, place: string, errors: Errors): void {
  container.env?.forEach((variable, index) => {
    const field = `${place}.env[${index}]`;
    checkRequired(variable, 'name', field, errors, variableName);
    const source = variable.valueFrom;
    if (source !== undefined) checkSource(source, variable.value ?? '', `${field}.valueFrom`, errors);
  });
  container.envFrom?.forEach((source, index) => checkSourceOfAll(source, `${place}.envFrom`, index, errors));
}

const SOURCES: readonly PartOf<CoreV1EnvVarSource>[] = [
  { member: 'fieldRef', rule: (source, place, errors) => checkFieldReference(source, place, VARIABLE_FIELDS, errors) },
  { member: 'resourceFieldRef', rule: (source, place, errors) => checkResourceReference(source, place, false, errors) },
  { member: 'configMapKeyRef', rule: checkKeyReference },
  { member: 'secretKeyRef', rule: checkKeyReference },
];

function checkSource(source: CoreV1EnvVarSource, value: string, place: string, errors: Errors): void {
  const found = checkParts(source, place, SOURCES, errors);
  if (found === 0) {
    errors.push(invalidValue(place, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'));
  } else if (value !== '') errors.push(invalidValue(place, '', 'may not be specified when `value` is not empty'));
  else if (found > 1) errors.push(invalidValue(place, '', 'may not have more than one field specified at a time'));
}

/** An empty name is no name, but it is not said to be missing (upstream behaviour). */
function checkKeyReference(source: CoreV1ConfigMapKeySelector, place: string, errors: Errors): void {
  checkFormat(source.name ?? '', `${place}.name`, checkDnsSubdomain, errors);
  checkRequired(source, 'key', place, errors, checkConfigKey);
}

function checkSourceOfAll(source: CoreV1EnvFromSource, place: string, index: number, errors: Errors): void {
  const prefix = source.prefix ?? '';
  if (prefix !== '') checkFormat(prefix, `${place}[${index}].prefix`, variableName, errors);
  let found = 0;
  for (const member of ['configMapRef', 'secretRef'] as const) {
    const one = source[member];
    if (one === undefined) continue;
    found += 1;
    checkRequired(one, 'name', `${place}[${index}].${member}`, errors, checkDnsSubdomain);
  }
  if (found === 0) errors.push(invalidValue(place, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (found > 1) errors.push(invalidValue(place, '', 'may not have more than one field specified at a time'));
}
