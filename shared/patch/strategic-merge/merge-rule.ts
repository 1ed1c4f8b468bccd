/** Where the merge stands in the kind tables: what kind of value an object is, and how its members are merged. Reads tables only. */
import { schemaOf, type FieldType } from '../../api/types';
import { unsuitable } from './strategic-merge-error';

/** How a member's values are merged. */
export interface MemberShape {
  readonly type: FieldType;
  /** A list's items are merged by the key or, if they are no objects, united; otherwise the patch's list replaces. */
  readonly isMerged: boolean;
  /** The patch's object replaces. */
  readonly isReplaced: boolean;
  readonly mergeKey: string | undefined;
}

/** The member of an object of the type. Throws a fault for a member that its struct does not have. */
export function memberOf(type: FieldType, member: string): MemberShape {
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
    // A free-form value has no members that could be merged (upstream behaviour).
    case 'scalar':
    case 'either':
    case 'list':
      throw unknownField('RawExtension', member);
  }
}

/** The type of a list's items. */
export const itemType = (type: FieldType): FieldType => (type.kind === 'list' ? type.element : { kind: 'scalar', scalar: 'string' });

const unknownField = (struct: string, member: string): Error =>
  unsuitable(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(member)}`);
