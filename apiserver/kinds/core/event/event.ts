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
  createStages: CREATE.bareObjectThenMetadata,
  validate: (object, _old, context) => validateLegacyEvent(object, context, 'reportingComponent'),
  update: { stages: UPDATE.changeAlone, validate: (object, _old, context) => validateLegacyEvent(object, context, 'reportingComponent') },
};

const MAX_LENGTHS: readonly { readonly member: MemberOf<CoreV1Event, string>; readonly maxBytes: number }[] = [
  { member: 'reportingInstance', maxBytes: 128 },
  { member: 'action', maxBytes: 128 },
  { member: 'reason', maxBytes: 128 },
  { member: 'message', maxBytes: 1024 },
];

/**
 * The rules of the core group, which the group events.platform.io applies as well to Events in the older form.
 * `controllerField`: the group's name of the member that names the reporter.
 */
export function validateLegacyEvent(object: CoreV1Event, { names }: StrategyContext, controllerField: string): readonly FieldError[] {
  const errors: Errors = [];
  const namespace = object.metadata?.namespace ?? '';
  const involvedNamespace = object.involvedObject?.namespace ?? '';
  // Only events of the newer API have this time; they name their reporter.
  const isNew = typeof object.eventTime === 'string';
  // Events about cluster-scoped objects are in `default`; newer ones may also be in the system namespace.
  const mayBeAboutCluster = namespace === 'default' || (isNew && namespace === names.systemNamespace);
  // Newer events may be about objects of any namespace.
  const mayBeAboutNamespace = isNew || involvedNamespace === namespace;
  const isNamespaceAllowed = involvedNamespace === '' ? mayBeAboutCluster : mayBeAboutNamespace;
  if (!isNamespaceAllowed) errors.push(invalidValue('involvedObject.namespace', involvedNamespace, 'does not match event.namespace'));
  if (!isNew) return errors;
  const component = object.reportingComponent ?? '';
  if (component === '') errors.push(requiredValue(controllerField));
  checkFormat(component, controllerField, checkQualifiedName, errors);
  for (const { member, maxBytes } of MAX_LENGTHS) {
    const value = object[member] ?? '';
    if (value === '' && member !== 'message') errors.push(requiredValue(member));
    if (Buffer.byteLength(value) > maxBytes) errors.push(invalidValue(member, '', `can have at most ${maxBytes} characters`));
  }
  return errors;
}
