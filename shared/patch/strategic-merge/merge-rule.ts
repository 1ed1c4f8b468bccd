/** How a strategic merge patch merges the fields of a type, from the type tables. */
import { schemaOf, type FieldType } from '../../api/types';
import { unsuitablePatch } from './strategic-merge-error';

/** How the values of a field are merged. */
export interface MemberMergeRule {
  readonly type: FieldType;
  /**
   * For a list: whether its items are merged, objects by the merge key and other values as a union. Otherwise the
   * patch's list replaces the list.
   */
  readonly isMerged: boolean;
  /** For an object: whether the patch's object replaces it. Otherwise its members are merged. */
  readonly isReplaced: boolean;
  /** The member that identifies an object in a list; `undefined` when the field has none. */
  readonly mergeKey: string | undefined;
}

/** The merge rule of the field `member` of a type. Throws StrategicMergeError when the type has no such field. */
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

/** The type of the items of a list, which is a `list` or the scalar `strings` in the type tables. */
export const itemTypeOf = (type: FieldType): FieldType => (type.kind === 'list' ? type.element : { kind: 'scalar', scalar: 'string' });

const unknownField = (struct: string, member: string): Error =>
  unsuitablePatch(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(member)}`);
