/** Columns of tables, and where a scale finds its numbers: both are paths into the object. */
import { invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkRequired, type Errors } from '../rules/checks';
import type { ApiextensionsV1CustomResourceDefinitionVersion } from '../../../shared/api/types/generated/members';

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function checkColumns(version: ApiextensionsV1CustomResourceDefinitionVersion, place: string, errors: Errors): void {
  version.additionalPrinterColumns?.forEach((column, index) => {
    const at = `${place}[${index}]`;
    const { type = '', format = '' } = column;
    checkRequired(column, 'name', at, errors);
    if (!TYPES.includes(type)) errors.push(oneOf(`${at}.type`, type, TYPES));
    if (format !== '' && !FORMATS.includes(format)) errors.push(oneOf(`${at}.format`, format, FORMATS));
    checkPath(column.jsonPath ?? '', `${at}.JSONPath`, [], errors);
  });
}

function oneOf(field: string, value: string, allowed: readonly string[]): FieldError {
  const text = `must be one of ${allowed.join(',')}`;
  return value === '' ? requiredValue(field, text) : invalidValue(field, value, text);
}

function checkPath(path: string, field: string, below: readonly string[], errors: Errors): void {
  if (path === '') errors.push(requiredValue(field));
  else if (!path.startsWith('.')) errors.push(invalidValue(field, path, 'must be a simple json path starting with .'));
  else if (below.length > 0 && !below.some((start) => path.startsWith(`${start}.`))) {
    errors.push(invalidValue(field, path, `should be a json path under ${below.length > 1 ? 'either ' : ''}${below.join(' or ')}`));
  }
}

export function checkScale(version: ApiextensionsV1CustomResourceDefinitionVersion, place: string, errors: Errors): void {
  const scale = version.subresources?.scale;
  if (scale === undefined) return;
  checkPath(scale.specReplicasPath ?? '', `${place}.scale.specReplicasPath`, ['.spec'], errors);
  checkPath(scale.statusReplicasPath ?? '', `${place}.scale.statusReplicasPath`, ['.status'], errors);
  const selector = scale.labelSelectorPath ?? '';
  if (selector !== '') checkPath(selector, `${place}.scale.labelSelectorPath`, ['.spec', '.status'], errors);
}
