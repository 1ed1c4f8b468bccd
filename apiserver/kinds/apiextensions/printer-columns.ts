/**
 * Validates printer columns and the scale subresource of a version, which refer to fields by simple JSON paths. That
 * the schema has these fields is not checked (upstream behaviour).
 */
import { invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkRequired, type Errors } from '../rules/checks';
import type { ApiextensionsV1CustomResourceDefinitionVersion } from '../../../shared/api/types/generated/members';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function checkPrinterColumns(version: ApiextensionsV1CustomResourceDefinitionVersion, fieldPath: string, errors: Errors): void {
  version.additionalPrinterColumns?.forEach((column, index) => {
    const columnPath = `${fieldPath}[${index}]`;
    const { type = '', format = '' } = column;
    checkRequired(column, 'name', columnPath, errors);
    if (!COLUMN_TYPES.includes(type)) errors.push(notAllowedError(`${columnPath}.type`, type, COLUMN_TYPES));
    if (format !== '' && !COLUMN_FORMATS.includes(format)) errors.push(notAllowedError(`${columnPath}.format`, format, COLUMN_FORMATS));
    checkPath(column.jsonPath ?? '', `${columnPath}.JSONPath`, [], errors);
  });
}

function notAllowedError(field: string, value: string, allowed: readonly string[]): FieldError {
  const text = `must be one of ${allowed.join(',')}`;
  return value === '' ? requiredValue(field, text) : invalidValue(field, value, text);
}

/** `parents`: paths of which one must contain the path; none when any path is allowed. */
function checkPath(path: string, field: string, parents: readonly string[], errors: Errors): void {
  if (path === '') errors.push(requiredValue(field));
  else if (!path.startsWith('.')) errors.push(invalidValue(field, path, 'must be a simple json path starting with .'));
  else if (parents.length > 0 && !parents.some((parent) => path.startsWith(`${parent}.`))) {
    errors.push(invalidValue(field, path, `should be a json path under ${parents.length > 1 ? 'either ' : ''}${parents.join(' or ')}`));
  }
}

export function checkScaleSubresource(version: ApiextensionsV1CustomResourceDefinitionVersion, fieldPath: string, errors: Errors): void {
  const scale = version.subresources?.scale;
  if (scale === undefined) return;
  checkPath(scale.specReplicasPath ?? '', `${fieldPath}.scale.specReplicasPath`, ['.spec'], errors);
  checkPath(scale.statusReplicasPath ?? '', `${fieldPath}.scale.statusReplicasPath`, ['.status'], errors);
  const selector = scale.labelSelectorPath ?? '';
  if (selector !== '') checkPath(selector, `${fieldPath}.scale.labelSelectorPath`, ['.spec', '.status'], errors);
}
