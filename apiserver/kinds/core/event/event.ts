/** Event of the core group: it lies where its object lies, and a newer one (with an `eventTime`) says who reports it. */
import { invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Event } from '../../../../shared/api/types/generated/members';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkFormat, type Errors, type MemberOf } from '../../rules/checks';
import { CREATE, UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const coreEvent: Strategy<CoreV1Event> = {
  createStages: CREATE.objectAlone,
  validate: (object, _old, context) => validateLegacyEvent(object, context, 'reportingComponent'),
  update: { stages: UPDATE.changeAlone, validate: (object, _old, context) => validateLegacyEvent(object, context, 'reportingComponent') },
};

/** Longest texts, in bytes. */
const MAX_LENGTHS: readonly (readonly [member: MemberOf<CoreV1Event, string>, bytes: number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
  ['message', 1024],
];

/** What holds in every version. `controller` = how the version calls who reports. */
export function validateLegacyEvent(object: CoreV1Event, { names }: StrategyContext, controllerField: string): readonly FieldError[] {
  const errors: Errors = [];
  const namespace = object.metadata?.namespace ?? '';
  const involved = object.involvedObject?.namespace ?? '';
  const isNew = typeof object.eventTime === 'string';
  // Objects without a namespace are spoken of in `default`, and in newer events in the system namespace too; those may speak of any namespace.
  const mayBeEmpty = namespace === 'default' || (isNew && namespace === names.systemNamespace);
  if (involved === '' ? !mayBeEmpty : !isNew && involved !== namespace) {
    errors.push(invalidValue('involvedObject.namespace', involved, 'does not match event.namespace'));
  }
  if (!isNew) return errors;
  const component = object.reportingComponent ?? '';
  if (component === '') errors.push(requiredValue(controllerField));
  checkFormat(component, controllerField, checkQualifiedName, errors);
  for (const [member, max] of MAX_LENGTHS) {
    const value = object[member] ?? '';
    if (value === '' && member !== 'message') errors.push(requiredValue(member));
    // The value is never shown (upstream behaviour).
    if (Buffer.byteLength(value) > max) errors.push(invalidValue(member, '', `can have at most ${max} characters`));
  }
  return errors;
}
