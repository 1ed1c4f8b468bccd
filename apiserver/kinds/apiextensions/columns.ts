/** Columns of tables, and where a scale finds its numbers: both are paths into the object. */
import { invalidValue, required, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { listed } from '../rules/field-rules';

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function columnErrors(version: JsonObject, place: string): readonly FieldError[] {
  return listed(version, 'additionalPrinterColumns').flatMap((column, index) => {
    const at = `${place}[${index}]`;
    const [type, format] = [stringAt(column, 'type') ?? '', stringAt(column, 'format') ?? ''];
    return [
      ...((stringAt(column, 'name') ?? '') === '' ? [required(`${at}.name`)] : []),
      ...(TYPES.includes(type) ? [] : [oneOf(`${at}.type`, type, TYPES)]),
      ...(format === '' || FORMATS.includes(format) ? [] : [oneOf(`${at}.format`, format, FORMATS)]),
      ...pathErrors(stringAt(column, 'jsonPath') ?? '', `${at}.JSONPath`),
    ];
  });
}

function oneOf(field: string, value: string, allowed: readonly string[]): FieldError {
  const text = `must be one of ${allowed.join(',')}`;
  return value === '' ? required(field, text) : invalidValue(field, value, text);
}

function pathErrors(path: string, field: string, ...below: readonly string[]): readonly FieldError[] {
  if (path === '') return [required(field)];
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')];
  if (below.length === 0 || below.some((start) => path.startsWith(`${start}.`))) return [];
  return [invalidValue(field, path, `should be a json path under ${below.length > 1 ? 'either ' : ''}${below.join(' or ')}`)];
}

export function scaleErrors(version: JsonObject, place: string): readonly FieldError[] {
  const scale = objectAt(objectAt(version, 'subresources'), 'scale');
  if (scale === undefined) return [];
  const at = (member: string, ...below: readonly string[]): readonly FieldError[] =>
    pathErrors(stringAt(scale, member) ?? '', `${place}.scale.${member}`, ...below);
  const hasSelector = (stringAt(scale, 'labelSelectorPath') ?? '') !== '';
  return [
    ...at('specReplicasPath', '.spec'),
    ...at('statusReplicasPath', '.status'),
    ...(hasSelector ? at('labelSelectorPath', '.spec', '.status') : []),
  ];
}
