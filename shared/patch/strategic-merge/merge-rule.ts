/** How a strategic merge patch merges the fields of a type, from the type tables. */
import { schemaOf, type FieldType } from '../../api/types';
import { unsuitablePatch } from './strategic-merge-error';

/** How the values of a field are merged. */
export interface MemberMergeRule {
  readonly type: FieldType;
  /**
   * List items are merged by the merge key, or as a union when they are not objects; otherwise the patch's list
   * replaces the list.
   */
  readonly isMerged: boolean;
  /** The patch's object replaces the object. */
  readonly isReplaced: boolean;
  readonly mergeKey: string | undefined;
}

/** The merge rule of a field. Throws StrategicMergeError for a field that the struct does not have. */
export function memberMergeRule(type: FieldType, member: string): MemberMergeRule {
  switch (type.kind) {
    case 'map':
      return { type: type.element, isMerged: false, isReplaced: false, mergeKey: undefined };
    case 'object': {
      const schema = schemaOf(type.type);
      const field = schema.field(member);
      if (field === undefined) throw unknownField(schema.goName, member);
      const { patchStrategies, mergeKey } = field;
      return { type: field.type, isMerged: patchStrategies.includes('merge'), isReplaced: patchStrategies.includes('replace'), mergeKey };
    }
    // A free-form value has no fields to merge (upstream behaviour).
    case 'scalar':
    case 'either':
    case 'list':
      throw unknownField('RawExtension', member);
  }
}

/** The type of the items of a list. */
export const itemTypeOf = (type: FieldType): FieldType => (type.kind === 'list' ? type.element : { kind: 'scalar', scalar: 'string' });

const unknownField = (struct: string, member: string): Error =>
  unsuitablePatch(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(member)}`);
