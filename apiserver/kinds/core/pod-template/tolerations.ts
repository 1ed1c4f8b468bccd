/**
 * Validates tolerations of Pods and runtime classes: operator, value and effect must agree. Matching taints is left to
 * the scheduler and the controllers.
 */
import { invalidShownValue, invalidValue, unsupportedValue } from '../../../../shared/api/errors/field-error';
import { checkLabelValue } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/text/quote';
import { checkFormat, checkLabelKey, type Errors } from '../../rules/checks';
import type { CoreV1Toleration } from '../../../../shared/api/types/generated/members';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function checkTolerations(tolerations: readonly CoreV1Toleration[], fieldPath: string, errors: Errors): void {
  tolerations.forEach((toleration, index) => checkToleration(toleration, `${fieldPath}[${index}]`, errors));
}

export function checkToleration(toleration: CoreV1Toleration, fieldPath: string, errors: Errors): void {
  const key = toleration.key ?? '';
  const operator = toleration.operator ?? '';
  const effect = toleration.effect ?? '';
  const operatorField = `${fieldPath}.operator`;
  if (key !== '') checkLabelKey(key, `${fieldPath}.key`, errors);
  else if (operator !== 'Exists') {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(operatorField, operator, text));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalidValue(`${fieldPath}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  checkValue(toleration, operator, operatorField, errors);
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(unsupportedValue(`${fieldPath}.effect`, effect, EFFECTS));
}

/** Errors of the value are reported at the operator (upstream behaviour). */
function checkValue(toleration: CoreV1Toleration, operator: string, operatorField: string, errors: Errors): void {
  const value = toleration.value ?? '';
  switch (operator) {
    case '':
    case 'Equal':
      checkFormat(value, operatorField, checkLabelValue, errors);
      return;
    case 'Exists':
      if (value !== '') {
        errors.push(invalidShownValue(operatorField, formatGoToleration(toleration), "value must be empty when `operator` is 'Exists'"));
      }
      return;
    default:
      errors.push(unsupportedValue(operatorField, operator, ['Equal', 'Exists']));
  }
}

function formatGoToleration(toleration: CoreV1Toleration): string {
  const text = (member: 'key' | 'operator' | 'value' | 'effect'): string => quote(toleration[member] ?? '');
  const seconds = toleration.tolerationSeconds;
  const members = `Key:${text('key')}, Operator:${text('operator')}, Value:${text('value')}, Effect:${text('effect')}`;
  return `core.Toleration{${members}, TolerationSeconds:(*int64)(${seconds ?? 'nil'})}`;
}
