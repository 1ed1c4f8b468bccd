/** StorageClass: its provisioner, parameters and topologies, which stay as they were made. */
import { append } from '../../../shared/values/append';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { equalJson, objectAt, own, stringAt, stringifyJson, stringsAt, type JsonObject } from '../../../shared/values/json';
import { qualifiedName } from '../../../shared/values/name-formats';
import { listed, misnamed } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const POLICIES = ['Delete', 'Retain'];
const MODES = ['Immediate', 'WaitForFirstConsumer'];
/** Upstream calls them bytes when it refuses more. */
const MOST_PARAMETERS = 512;
const PARAMETER_BYTES = 256 * 1024;

export const storageClass: Strategy = {
  validate: (object) => [
    ...provisionerErrors(object),
    ...parameterErrors(objectAt(object, 'parameters') ?? {}),
    ...unknown(object, 'reclaimPolicy', POLICIES),
    ...modeErrors(object),
    ...topologyErrors(listed(object, 'allowedTopologies')),
  ],
  update: { stages: UPDATE.objectThenChange, validate: immutable },
};

function provisionerErrors(object: JsonObject): readonly FieldError[] {
  const provisioner = stringAt(object, 'provisioner') ?? '';
  if (provisioner === '') return [required('provisioner')];
  return qualifiedName(provisioner.toLowerCase()).map((text) => invalidValue('provisioner', provisioner, text));
}

function parameterErrors(parameters: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = Object.keys(parameters);
  if (names.length > MOST_PARAMETERS) return [tooLong('parameters', MOST_PARAMETERS)];
  let bytes = 0;
  for (const name of names) {
    if (name === '') errors.push(invalidValue('parameters', name, 'field can not be empty.'));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(stringAt(parameters, name) ?? '');
  }
  return bytes > PARAMETER_BYTES ? [...errors, tooLong('parameters', PARAMETER_BYTES)] : errors;
}

function unknown(object: JsonObject, member: string, supported: readonly string[]): readonly FieldError[] {
  const value = stringAt(object, member) ?? '';
  return value === '' || supported.includes(value) ? [] : [notSupported(member, value, supported)];
}

function modeErrors(object: JsonObject): readonly FieldError[] {
  const mode = stringAt(object, 'volumeBindingMode') ?? '';
  return MODES.includes(mode) ? [] : [notSupported('volumeBindingMode', mode, MODES)];
}

function topologyErrors(terms: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>();
  return terms.flatMap((term, index) => {
    const place = `allowedTopologies[${index}].matchLabelExpressions`;
    const { errors, values } = termErrors(listed(term, 'matchLabelExpressions'), place);
    // Upstream counts a term without expressions among those that are there already.
    const again = Object.keys(values).length === 0 ? errors.length === 0 : seen.has(stringifyJson(values, 'sorted'));
    seen.add(stringifyJson(values, 'sorted'));
    return again ? [...errors, duplicate(place, '')] : errors;
  });
}

/** Also what the term says: values by key, sorted. */
function termErrors(
  expressions: readonly JsonObject[],
  place: string,
): { readonly errors: readonly FieldError[]; readonly values: JsonObject } {
  const values: JsonObject = {};
  const errors = expressions.flatMap((expression, index) => {
    const field = `${place}[${index}]`;
    const key = stringAt(expression, 'key') ?? '';
    const given = stringsAt(expression, 'values');
    const found: FieldError[] = given.length === 0 ? [required(`${field}.values`)] : [];
    const before = new Set<string>();
    given.forEach((value, at) => {
      if (before.has(value)) found.push(duplicate(`${field}.values[${at}]`, value));
      before.add(value);
    });
    append(found, misnamed(key, `${field}.key`, qualifiedName));
    if (own(values, key) !== undefined) found.push(duplicate(`${field}.key`, key));
    values[key] = [...given].sort();
    return found;
  });
  return { errors, values };
}

function immutable(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors = ['parameters', 'provisioner', 'reclaimPolicy'].flatMap((member) =>
    equalJson(own(object, member) ?? {}, own(old, member) ?? {}) ? [] : [forbiddenField(member, `updates to ${member} are forbidden.`)],
  );
  const mode = stringAt(object, 'volumeBindingMode') ?? '';
  if (mode !== (stringAt(old, 'volumeBindingMode') ?? '')) errors.push(invalidValue('volumeBindingMode', mode, 'field is immutable'));
  return errors;
}
