/**
 * Secret strategy. `stringData` is merged into `data` before anything is validated, so it is never stored. Validates the
 * keys that each type requires, the size, and that an immutable Secret keeps its data. Encryption is left to the
 * storage.
 */
import { invalidShownValue, invalidValue, requiredValue, tooLongValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Secret } from '../../../../shared/api/types/generated/members';
import { isObject, ownMember, setMember, sortedKeys, stringAt, type JsonValue } from '../../../../shared/values/json';
import { checkConfigKey } from '../../../../shared/values/name-formats';
import { parseJson, ParseError } from '../../../../shared/serialization';
import { canonicalQualifiedName, otherQualifiedName } from '../../../../shared/names/dialect';
import { checkFormat, type Errors } from '../../rules/checks';
import { checkImmutable, decodedSize } from './config-map';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { tlsPairError } from './tls-pair';

const MAX_BYTES = 1_048_576;

type Data = NonNullable<CoreV1Secret['data']>;

export const secret: Strategy<CoreV1Secret> = {
  prepareForCreate: mergeStringData,
  validate,
  warningsOnCreate: tlsPairWarnings,
  warningsOnUpdate: tlsPairWarnings,
  update: {
    stages: UPDATE.changeThenObject,
    prepareForUpdate(object, old) {
      mergeStringData(object);
      // An empty type keeps the stored one (upstream behaviour).
      if (typeOf(object) === '') object.type = typeOf(old);
    },
    validate(object, old) {
      const errors: Errors = [];
      if (object.type !== old.type) errors.push(invalidValue('type', typeOf(object), 'field is immutable'));
      checkImmutable(object, old, ['data'], errors);
      return errors;
    },
  },
};

const typeOf = ({ type = '' }: CoreV1Secret): string => type;

/** An invalid TLS pair is accepted with a warning. */
function tlsPairWarnings(object: CoreV1Secret): readonly string[] {
  if (canonicalQualifiedName(typeOf(object)) !== 'platform.io/tls') return [];
  const { data = {} } = object;
  const text = (key: string): string => Buffer.from(stringAt(data, key) ?? '', 'base64').toString('latin1');
  const error = tlsPairError(text('tls.crt'), text('tls.key'));
  return error === undefined ? [] : [error];
}

/** `stringData` is write-only: it is merged over `data` and removed. */
function mergeStringData(object: CoreV1Secret): void {
  const stringData = object.stringData;
  delete object.stringData;
  if (stringData === undefined) return;
  const data: Data = { ...object.data };
  for (const [key, value] of Object.entries(stringData)) setMember(data, key, Buffer.from(value).toString('base64'));
  object.data = data;
}

/** Rules for the data of each type of Secret, by canonical type. */
const DATA_RULES: Readonly<Record<string, (object: CoreV1Secret, data: Data, errors: Errors) => void>> = {
  'platform.io/service-account-token'(object, _data, errors) {
    const annotations = object.metadata?.annotations ?? {};
    // The annotation may have either spelling; the error has the spelling of the type.
    const [domain = ''] = typeOf(object).split('/');
    const annotation = `${domain}/service-account.name`;
    const accountName = stringAt(annotations, annotation) ?? stringAt(annotations, otherQualifiedName(annotation) ?? annotation) ?? '';
    if (accountName === '') errors.push(requiredValue(`metadata.annotations[${annotation}]`));
  },
  'platform.io/dockercfg': (_object, data, errors) => checkJsonObject(data, '.dockercfg', errors),
  'platform.io/dockerconfigjson': (_object, data, errors) => checkJsonObject(data, '.dockerconfigjson', errors),
  'platform.io/basic-auth'(_object, data, errors) {
    if (!Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password')) {
      errors.push(requiredValue('data[username]'), requiredValue('data[password]'));
    }
  },
  'platform.io/ssh-auth'(_object, data, errors) {
    if ((stringAt(data, 'ssh-privatekey') ?? '') === '') errors.push(requiredValue('data[ssh-privatekey]'));
  },
  'platform.io/tls'(_object, data, errors) {
    for (const key of ['tls.crt', 'tls.key']) {
      if (!Object.hasOwn(data, key)) errors.push(requiredValue(`data[${key}]`));
    }
  },
};

function validate(object: CoreV1Secret): readonly FieldError[] {
  const errors: Errors = [];
  const { data = {} } = object;
  let size = 0;
  for (const key of sortedKeys(data)) {
    checkFormat(key, `data[${key}]`, checkConfigKey, errors);
    size += decodedSize(data[key]);
  }
  if (size > MAX_BYTES) errors.push(tooLongValue('data', MAX_BYTES));
  // The client chooses the type, so only own members of the table count.
  ownMember(DATA_RULES, canonicalQualifiedName(typeOf(object)))?.(object, data, errors);
  return errors;
}

function checkJsonObject(data: Data, key: string, errors: Errors): void {
  const field = `data[${key}]`;
  const value = stringAt(data, key);
  if (value === undefined) {
    errors.push(requiredValue(field));
    return;
  }
  const error = jsonObjectError(Buffer.from(value, 'base64'));
  if (error !== undefined) errors.push(invalidShownValue(field, '"<secret contents redacted>"', error));
}

/** Go's name for the type of a JSON value that is no object. */
function goJsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** The error of a text that must be a JSON object or null; `undefined` when it is valid. */
function jsonObjectError(bytes: Buffer): string | undefined {
  try {
    const { value } = parseJson(bytes);
    if (value === null || isObject(value)) return undefined;
    return `json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}
