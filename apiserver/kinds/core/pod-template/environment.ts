/** The variables of a container: names, values and where they come from. Never looks at what the sources hold. */
import { invalidValue } from '../../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { configKey, dnsSubdomain, patternMessage, type NameCheck } from '../../../../shared/values/name-formats';
import { listed } from '../../rules/field-rules';
import { checkFormat, checkRequired, textAt, type Errors } from '../../rules/checks';
import { checkFieldReference, checkResourceReference, VARIABLE_FIELDS } from './downward';

const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const VARIABLE_TEXT = patternMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);

const variableName: NameCheck = (name) => {
  if (!VARIABLE.test(name)) return [VARIABLE_TEXT];
  if (!name.startsWith('.')) return [];
  if (name === '.' || name === '..') return [`must not be '${name}'`];
  return name.startsWith('..') ? ["must not start with '..'"] : [];
};

export function checkVariables(container: JsonObject, place: string, errors: Errors): void {
  listed(container, 'env').forEach((variable, index) => {
    const field = `${place}.env[${index}]`;
    checkRequired(variable, 'name', field, errors, variableName);
    const source = objectAt(variable, 'valueFrom');
    if (source !== undefined) checkSource(source, textAt(variable, 'value'), `${field}.valueFrom`, errors);
  });
  listed(container, 'envFrom').forEach((source, index) => checkSourceOfAll(source, `${place}.envFrom`, index, errors));
}

type SourceRule = (source: JsonObject, place: string, errors: Errors) => void;

const SOURCES: readonly (readonly [member: string, rule: SourceRule])[] = [
  ['fieldRef', (source, place, errors) => checkFieldReference(source, place, VARIABLE_FIELDS, errors)],
  ['resourceFieldRef', (source, place, errors) => checkResourceReference(source, place, false, errors)],
  ['configMapKeyRef', checkKeyReference],
  ['secretKeyRef', checkKeyReference],
];

function checkSource(source: JsonObject, value: string, place: string, errors: Errors): void {
  let found = 0;
  for (const [member, rule] of SOURCES) {
    const one = objectAt(source, member);
    if (one === undefined) continue;
    found += 1;
    rule(one, `${place}.${member}`, errors);
  }
  if (found === 0) {
    errors.push(invalidValue(place, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'));
  } else if (value !== '') errors.push(invalidValue(place, '', 'may not be specified when `value` is not empty'));
  else if (found > 1) errors.push(invalidValue(place, '', 'may not have more than one field specified at a time'));
}

/** An empty name is no name, but it is not said to be missing (upstream behaviour). */
function checkKeyReference(source: JsonObject, place: string, errors: Errors): void {
  checkFormat(textAt(source, 'name'), `${place}.name`, dnsSubdomain, errors);
  checkRequired(source, 'key', place, errors, configKey);
}

function checkSourceOfAll(source: JsonObject, place: string, index: number, errors: Errors): void {
  const prefix = textAt(source, 'prefix');
  if (prefix !== '') checkFormat(prefix, `${place}[${index}].prefix`, variableName, errors);
  let found = 0;
  for (const member of ['configMapRef', 'secretRef']) {
    const one = objectAt(source, member);
    if (one === undefined) continue;
    found += 1;
    checkRequired(one, 'name', `${place}[${index}].${member}`, errors, dnsSubdomain);
  }
  if (found === 0) errors.push(invalidValue(place, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (found > 1) errors.push(invalidValue(place, '', 'may not have more than one field specified at a time'));
}
