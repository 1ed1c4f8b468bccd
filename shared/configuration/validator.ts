/** Holds values against schemas with ajv, and says in plain words what is wrong where. Loaded only when a file is read, because ajv takes time to load. */
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { parseDuration } from '../cli/duration';
import { quote } from '../values/quote';
import { memberPath, type Fault } from './configuration-error';
import { DURATION_FORMAT, type Schema } from './schema';

const MOST_FAULTS = 100;

const ajv = new Ajv({ allErrors: true, strict: true, ownProperties: true });
addFormats(ajv);
ajv.addFormat(DURATION_FORMAT, (value: string) => parseDuration(value) !== undefined);

export type Validated<T> = { readonly value: T } | { readonly faults: readonly Fault[] };

/** Each schema is compiled once. */
export function validate<T>({ json }: Schema<T>, value: unknown): Validated<T> {
  const satisfies = ajv.compile<T>(json);
  return satisfies(value) ? { value } : { faults: (satisfies.errors ?? []).slice(0, MOST_FAULTS).map(faultOf) };
}

function faultOf({ instancePath, keyword, params, message }: ErrorObject): Fault {
  const path = pathOf(instancePath);
  const said: Readonly<Record<string, unknown>> = params;
  switch (keyword) {
    case 'required':
      return { path: memberPath(path, String(said['missingProperty'])), reason: 'is required' };
    case 'additionalProperties':
      return { path: memberPath(path, String(said['additionalProperty'])), reason: 'is no known field' };
    case 'enum':
      return { path, reason: `must be one of ${words(said['allowedValues'])}` };
    case 'type':
      return { path, reason: `must be ${ARTICLES[String(said['type'])] ?? String(said['type'])}` };
    case 'format':
      return { path, reason: `must be of the form ${quote(String(said['format']))}` };
    default:
      return { path, reason: message ?? keyword };
  }
}

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  object: 'an object',
  string: 'a string',
};

function words(allowed: unknown): string {
  return Array.isArray(allowed) ? allowed.map((word) => quote(String(word))).join(', ') : '';
}

/** `/jwt/0/issuer/url` as `jwt[0].issuer.url`. */
function pathOf(pointer: string): string {
  let path = '';
  for (const part of pointer.split('/').slice(1)) path = memberPath(path, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return path;
}
