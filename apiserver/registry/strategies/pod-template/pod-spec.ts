/**
 * What the spec of a Pod may look like, wherever it stands: in a Pod or in the template of a workload. Errors come in upstream's order. Never
 * judges metadata, nor what only a Pod or only a template may not have.
 */
import {
  duplicate,
  invalidAs,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
  type FieldError,
} from '../../../../shared/api/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../../shared/api/json';
import { dnsLabel, dnsSubdomain, portName, qualifiedName, type NameCheck } from '../../../../shared/api/names';
import { validateLabels } from '../../../../shared/api/validation/object-meta';
import { listed } from '../field-rules';

function named(value: string, field: string, check: NameCheck): readonly FieldError[] {
  if (value === '') return [required(field)];
  return check(value).map((text) => invalidValue(field, value, text));
}

function oneOf(object: JsonObject, member: string, field: string, supported: readonly string[]): readonly FieldError[] {
  const value = stringAt(object, member) ?? '';
  if (value === '') return [required(`${field}.${member}`)];
  return supported.includes(value) ? [] : [notSupported(`${field}.${member}`, value, supported)];
}

/** `place` = the path of the spec (`spec`, `spec.template.spec`); `old` = the spec that it is to replace. */
export function podSpecErrors(spec: JsonObject, place: string, _old?: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set<string>();
  listed(spec, 'volumes').forEach((volume, index) => {
    const field = `${place}.volumes[${index}].name`;
    const name = stringAt(volume, 'name') ?? '';
    const wrong = named(name, field, dnsLabel);
    errors.push(...wrong);
    if (wrong.length === 0 && volumes.has(name)) errors.push(duplicate(field, name));
    volumes.add(name);
  });
  const names = new Set<string>();
  const containers = listed(spec, 'containers');
  if (containers.length === 0) errors.push(required(`${place}.containers`));
  containers.forEach((container, index) => errors.push(...containerErrors(container, `${place}.containers[${index}]`, names, volumes)));
  listed(spec, 'initContainers').forEach((container, index) =>
    errors.push(...containerErrors(container, `${place}.initContainers[${index}]`, names, volumes)),
  );
  errors.push(...oneOf(spec, 'restartPolicy', place, ['Always', 'OnFailure', 'Never']));
  errors.push(...oneOf(spec, 'dnsPolicy', place, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']));
  const selector = objectAt(spec, 'nodeSelector');
  if (selector !== undefined) validateLabels(selector, `${place}.nodeSelector`, errors);
  for (const [member, check] of NAMES) {
    const value = stringAt(spec, member) ?? '';
    if (value !== '') for (const text of check(value)) errors.push(invalidValue(`${place}.${member}`, value, text));
  }
  const deadline = own(spec, 'activeDeadlineSeconds');
  if (typeof deadline === 'number' && (deadline < 1 || deadline > 2_147_483_647)) {
    errors.push(invalidAs(`${place}.activeDeadlineSeconds`, String(deadline), 'must be between 1 and 2147483647, inclusive'));
  }
  for (const member of ['hostname', 'subdomain']) {
    const value = stringAt(spec, member) ?? '';
    if (value !== '') for (const text of dnsLabel(value)) errors.push(invalidValue(`${place}.${member}`, value, text));
  }
  listed(spec, 'tolerations').forEach((toleration, index) =>
    errors.push(...tolerationErrors(toleration, `${place}.tolerations[${index}]`)),
  );
  return errors;
}

const NAMES: readonly (readonly [member: string, check: NameCheck])[] = [
  ['serviceAccountName', dnsSubdomain],
  ['nodeName', dnsSubdomain],
];

function containerErrors(container: JsonObject, field: string, names: Set<string>, volumes: ReadonlySet<string>): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = stringAt(container, 'name') ?? '';
  const wrong = named(name, `${field}.name`, dnsLabel);
  errors.push(...wrong);
  const again = wrong.length === 0 && names.has(name);
  names.add(name);
  if ((stringAt(container, 'image') ?? '') === '') errors.push(required(`${field}.image`));
  errors.push(...containerPortErrors(container, field));
  listed(container, 'env').forEach((variable, index) => errors.push(...variableErrors(variable, `${field}.env[${index}].name`)));
  listed(container, 'volumeMounts').forEach((mount, index) => {
    const volume = stringAt(mount, 'name') ?? '';
    const place = `${field}.volumeMounts[${index}]`;
    if (volume === '') errors.push(required(`${place}.name`));
    else if (!volumes.has(volume)) errors.push(notFoundValue(`${place}.name`, volume));
    if ((stringAt(mount, 'mountPath') ?? '') === '') errors.push(required(`${place}.mountPath`));
  });
  errors.push(...oneOf(container, 'imagePullPolicy', field, ['Always', 'IfNotPresent', 'Never']));
  return again ? [...errors, duplicate(`${field}.name`, name)] : errors;
}

function containerPortErrors(container: JsonObject, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return listed(container, 'ports').flatMap((port, index) => {
    const place = `${field}.ports[${index}]`;
    const errors: FieldError[] = [];
    const name = stringAt(port, 'name') ?? '';
    if (name !== '') {
      const wrong = portName(name);
      for (const text of wrong) errors.push(invalidValue(`${place}.name`, name, text));
      if (wrong.length === 0 && seen.has(name)) errors.push(duplicate(`${place}.name`, name));
      seen.add(name);
    }
    const number = own(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(required(`${place}.containerPort`));
    else errors.push(...portNumber(number, `${place}.containerPort`));
    const host = own(port, 'hostPort') ?? 0;
    if (host !== 0) errors.push(...portNumber(host, `${place}.hostPort`));
    return [...errors, ...oneOf(port, 'protocol', place, ['SCTP', 'TCP', 'UDP'])];
  });
}

function portNumber(value: unknown, field: string): readonly FieldError[] {
  const good = typeof value === 'number' && value >= 1 && value <= 65_535;
  return good ? [] : [invalidAs(field, String(value), 'must be between 1 and 65535, inclusive')];
}

const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const VARIABLE_TEXT =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit " +
  "(e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";

function variableErrors(variable: JsonObject, field: string): readonly FieldError[] {
  const name = stringAt(variable, 'name') ?? '';
  if (name === '') return [required(field)];
  return VARIABLE.test(name) ? [] : [invalidValue(field, name, VARIABLE_TEXT)];
}

export function tolerationErrors(toleration: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [key, operator, effect] = [
    stringAt(toleration, 'key') ?? '',
    stringAt(toleration, 'operator') ?? '',
    stringAt(toleration, 'effect') ?? '',
  ];
  if (key !== '') for (const text of qualifiedName(key)) errors.push(invalidValue(`${field}.key`, key, text));
  if (key === '' && operator !== 'Exists') {
    errors.push(
      invalidValue(
        `${field}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (operator !== '' && operator !== 'Equal' && operator !== 'Exists') {
    errors.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
  }
  const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
  if (effect !== '' && !effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
  return errors;
}
