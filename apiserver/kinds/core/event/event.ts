/**
 * Event strategy of the core group. The namespace must match that of the involved object; events with an `eventTime`
 * must name their reporter.
 */
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

/** Maximum lengths in bytes. */
const MAX_LENGTHS: readonly (readonly [member: MemberOf<CoreV1Event, string>, bytes: number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
  ['message', 1024],
];

/** Shared by both versions. `controllerField` is the version's name of the member that names the reporter. */
export function validateLegacyEvent(object: CoreV1Event, { names }: StrategyContext, controllerField: string): readonly FieldError[] {
  const errors: Errors = [];
  const namespace = object.metadata?.namespace ?? '';
  const involved = object.involvedObject?.namespace ?? '';
  const isNew = typeof object.eventTime === 'string';
  // Events about cluster-scoped objects are in `default`; newer events may also be in the system namespace, and may be
  // about objects of any namespace.
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
    if (Buffer.byteLength(value) > max) errors.push(invalidValue(member, '', `can have at most ${max} characters`));
  }
  return errors;
}
