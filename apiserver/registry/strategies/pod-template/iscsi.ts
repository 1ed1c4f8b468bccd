/** Names of iSCSI targets and initiators. */
import { invalidValue } from '../../../../shared/api/field-error';
import type { Errors } from './checks';

const FORMATS: readonly (readonly [prefix: string, pattern: RegExp])[] = [
  ['iqn', /^iqn\.\d{4}-\d{2}\.([a-z0-9.-]+)(:[^\s]*)?$/i],
  ['eui', /^eui\.[0-9A-F]{16}$/i],
  ['naa', /^naa\.(?:[0-9A-F]{16}|[0-9A-F]{32})$/i],
];

export function checkQualifiedTarget(name: string, field: string, errors: Errors): void {
  const format = FORMATS.find(([prefix]) => name.startsWith(prefix));
  if (format === undefined) errors.push(invalidValue(field, name, 'must be valid format starting with iqn, eui, or naa'));
  else if (!format[1].test(name)) errors.push(invalidValue(field, name, 'must be valid format'));
}
