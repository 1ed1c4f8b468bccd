/** Event of the core group (behaviour-reference §5.14). */
import { invalidValue, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { qualifiedName } from '../../../../shared/values/name-formats';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { CREATE, UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const event: Strategy = {
  createStages: CREATE.objectAlone,
  validate: (object, _old, context) => validateReport(object, context, 'reportingComponent'),
  update: { stages: UPDATE.changeAlone, validate: (object, _old, context) => validateReport(object, context, 'reportingComponent') },
};

/** Longest texts, in bytes. */
const MOST: readonly (readonly [member: string, bytes: number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
  ['message', 1024],
];

/** What holds in every version. `controller` = how the version calls who reports. */
export function validateReport(object: JsonObject, { names }: StrategyContext, controller: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const namespace = stringAt(readMetadata(object), 'namespace') ?? '';
  const involved = stringAt(objectAt(object, 'involvedObject') ?? {}, 'namespace') ?? '';
  const isNew = typeof own(object, 'eventTime') === 'string';
  // Objects without a namespace are spoken of in `default`, and in newer events in the system namespace too; those may speak of any namespace.
  const mayBeEmpty = namespace === 'default' || (isNew && namespace === names.systemNamespace);
  if (involved === '' ? !mayBeEmpty : !isNew && involved !== namespace) {
    errors.push(invalidValue('involvedObject.namespace', involved, 'does not match event.namespace'));
  }
  if (!isNew) return errors;
  const component = stringAt(object, 'reportingComponent') ?? '';
  if (component === '') errors.push(required(controller));
  for (const text of qualifiedName(component)) errors.push(invalidValue(controller, component, text));
  for (const [member, most] of MOST) {
    const value = stringAt(object, member) ?? '';
    if (value === '' && member !== 'message') errors.push(required(member));
    // The value is never shown (upstream behaviour).
    if (Buffer.byteLength(value) > most) errors.push(invalidValue(member, '', `can have at most ${most} characters`));
  }
  return errors;
}
