/** Secret (behaviour-reference §5.10). */
import { invalidAs, invalidValue, required, tooLong, type FieldError } from '../../../../shared/api/errors/field-error';
import { equalJson, isObject, objectAt, own, setMember, sortedKeys, stringAt, type JsonObject } from '../../../../shared/values/json';
import { configKey } from '../../../../shared/values/name-formats';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { parseJson, SyntaxFault } from '../../../../shared/serialization';
import { canonicalQualifiedName, otherQualifiedName } from '../../../../shared/names/dialect';
import { decodedSize, immutableErrors } from './config-map';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { tlsPairFault } from './tls-pair';

const MOST_BYTES = 1_048_576;

export const secret: Strategy = {
  prepareForCreate: mergeStringData,
  validate,
  warningsOnCreate: pairWarnings,
  warningsOnUpdate: pairWarnings,
  update: {
    stages: UPDATE.changeThenObject,
    prepareForUpdate(object, old) {
      mergeStringData(object);
      // An empty type is the stored one (upstream behaviour).
      if ((stringAt(object, 'type') ?? '') === '') object['type'] = stringAt(old, 'type') ?? '';
    },
    validate(object, old) {
      const errors: FieldError[] = [];
      if (!equalJson(own(object, 'type'), own(old, 'type')))
        errors.push(invalidValue('type', stringAt(object, 'type') ?? '', 'field is immutable'));
      return [...errors, ...immutableErrors(object, old, ['data'])];
    },
  },
};

/** A pair that does not work is kept; whoever wrote it is told. */
function pairWarnings(object: JsonObject): readonly string[] {
  if (canonicalQualifiedName(stringAt(object, 'type') ?? '') !== 'platform.io/tls') return [];
  const data = objectAt(object, 'data') ?? {};
  const text = (key: string): string => Buffer.from(stringAt(data, key) ?? '', 'base64').toString('latin1');
  const fault = tlsPairFault(text('tls.crt'), text('tls.key'));
  return fault === undefined ? [] : [fault];
}

/** `stringData` is for writing only: it goes over `data` and is not kept. */
function mergeStringData(object: JsonObject): void {
  const given = objectAt(object, 'stringData');
  delete object['stringData'];
  if (given === undefined) return;
  const data: JsonObject = { ...objectAt(object, 'data') };
  for (const key of Object.keys(given)) {
    const value = given[key];
    if (typeof value === 'string') setMember(data, key, Buffer.from(value).toString('base64'));
  }
  object['data'] = data;
}

/** What each type of Secret must hold, by the type's canonical spelling. */
const BY_TYPE: Readonly<Record<string, (object: JsonObject, data: JsonObject) => readonly FieldError[]>> = {
  'platform.io/service-account-token'(object) {
    const annotations = objectAt(readMetadata(object), 'annotations') ?? {};
    const prefix = (stringAt(object, 'type') ?? '').split('/')[0] ?? '';
    const name = `${prefix}/service-account.name`;
    const found = stringAt(annotations, name) ?? stringAt(annotations, otherQualifiedName(name) ?? name) ?? '';
    return found === '' ? [required(`metadata.annotations[${name}]`)] : [];
  },
  'platform.io/dockercfg': (_object, data) => jsonMember(data, '.dockercfg'),
  'platform.io/dockerconfigjson': (_object, data) => jsonMember(data, '.dockerconfigjson'),
  'platform.io/basic-auth': (_object, data) =>
    Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password') ? [] : [required('data[username]'), required('data[password]')],
  'platform.io/ssh-auth': (_object, data) => ((stringAt(data, 'ssh-privatekey') ?? '') === '' ? [required('data[ssh-privatekey]')] : []),
  'platform.io/tls': (_object, data) =>
    ['tls.crt', 'tls.key'].filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`)),
};

function validate(object: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const data = objectAt(object, 'data') ?? {};
  let size = 0;
  for (const key of sortedKeys(data)) {
    for (const text of configKey(key)) errors.push(invalidValue(`data[${key}]`, key, text));
    const value = data[key];
    if (typeof value === 'string') size += decodedSize(value);
  }
  if (size > MOST_BYTES) errors.push(tooLong('data', MOST_BYTES));
  const type = canonicalQualifiedName(stringAt(object, 'type') ?? '');
  // A client chooses the type: only what the table itself has counts.
  const rule = own(BY_TYPE, type);
  return rule === undefined ? errors : [...errors, ...rule(object, data)];
}

function jsonMember(data: JsonObject, key: string): readonly FieldError[] {
  const field = `data[${key}]`;
  const value = stringAt(data, key);
  if (value === undefined) return [required(field)];
  const fault = jsonObjectFault(Buffer.from(value, 'base64'));
  return fault === undefined ? [] : [invalidAs(field, '"<secret contents redacted>"', fault)];
}

function jsonObjectFault(bytes: Buffer): string | undefined {
  try {
    const { value } = parseJson(bytes);
    if (value === null || isObject(value)) return undefined;
    const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
    return `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message;
    throw error;
  }
}
