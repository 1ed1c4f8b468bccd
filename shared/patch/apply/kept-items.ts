/**
 * Finds the items of associative lists (sets and keyed lists, merge-shape.ts) that an applied configuration no longer
 * contains and that stay nevertheless, because other managers own fields of them. When validation rejects the merged
 * object, the server names these items in its message. Does not affect ownership.
 */
import { isObject, ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { AppliedConfiguration, FieldConflict } from './apply';
import { isSameManager, type ManagedFieldsEntry, type FieldManager } from './managed-fields';
import { elementsOf, EMPTY_SET, isMember, nodeAt, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberShape, resolveShape, type MergeShape } from './merge-shape';

/** An item that stays although the manager no longer applies it. */
export interface KeptItem {
  /** The path as in validation errors: `spec.ports[1]`. */
  readonly field: string;
  /** The managers that own fields of the item, each with these fields. */
  readonly owners: readonly FieldConflict[];
}

/** `before` holds the managedFields entries before the apply of `manager`, `applied` the result of that apply. */
export function findKeptItems(
  shape: MergeShape,
  before: readonly ManagedFieldsEntry[],
  applied: AppliedConfiguration,
  manager: FieldManager,
): readonly KeptItem[] {
  const fieldsIn = (entries: readonly ManagedFieldsEntry[]): FieldSet =>
    entries.find((entry) => isSameManager(entry.manager, manager))?.fields ?? EMPTY_SET;
  const walker = new KeptItemWalker(applied.entries.filter((entry) => !isSameManager(entry.manager, manager)));
  walker.visit(shape, applied.object, { previous: fieldsIn(before), current: fieldsIn(applied.entries) }, '');
  return walker.keptItems;
}

/** The fields that the manager applied before and applies now, at or below one path. */
interface AppliedFields {
  readonly previous: FieldSet;
  readonly current: FieldSet;
}

/** A member of an object or an item of a list. */
interface ChildValue {
  readonly shape: MergeShape;
  readonly value: JsonValue;
  /** The path of the value. */
  readonly field: string;
  readonly isItem: boolean;
}

class KeptItemWalker {
  readonly keptItems: KeptItem[] = [];
  /** The elements that lead to the visited value. */
  private readonly path: PathElement[] = [];

  constructor(private readonly others: readonly ManagedFieldsEntry[]) {}

  /** Visits the children of a value that the manager applied before; `field` is the path of the value. */
  visit(declared: MergeShape, value: JsonValue, fields: AppliedFields, field: string): void {
    const shape = resolveShape(declared, value);
    if ((shape.kind === 'keyed' || shape.kind === 'set') && Array.isArray(value)) {
      const indexes = indexesOf(shape, value);
      for (const element of elementsOf(fields.previous)) {
        const index = indexes.get(element);
        if (index === undefined) continue;
        this.visitChild(element, fields, { shape: shape.element, value: value[index] ?? null, field: `${field}[${index}]`, isItem: true });
      }
    } else if (isObject(value)) {
      for (const element of elementsOf(fields.previous)) {
        const name = element.slice(2);
        const member = memberShape(shape, name);
        const memberValue = ownMember(value, name);
        if (member === undefined || memberValue === undefined) continue;
        const memberField = field === '' ? name : `${field}.${name}`;
        this.visitChild(element, fields, { shape: member, value: memberValue, field: memberField, isItem: false });
      }
    }
  }

  private visitChild(element: PathElement, { previous, current }: AppliedFields, { shape, value, field, isItem }: ChildValue): void {
    const previousNode = nodeAt(previous, element);
    const currentNode = nodeAt(current, element);
    if (previousNode === undefined) return;
    this.path.push(element);
    if (isItem && isMember(previousNode) && currentNode === undefined) this.addItem(field);
    else this.visit(shape, value, { previous: previousNode, current: currentNode ?? EMPTY_SET }, field);
    this.path.pop();
  }

  private addItem(field: string): void {
    const owners = this.others.flatMap(({ manager, fields }) => {
      const owned = fieldsAt(fields, this.path);
      return owned === undefined ? [] : [{ manager, fields: owned }];
    });
    if (owners.length > 0) this.keptItems.push({ field, owners });
  }
}

function indexesOf(shape: Extract<MergeShape, { kind: 'keyed' | 'set' }>, items: JsonArray): ReadonlyMap<PathElement, number> {
  const indexes = new Map<PathElement, number>();
  items.forEach((item, index) => indexes.set(itemElement(shape, item), index));
  return indexes;
}

/** The part of a field set at and below a path, from the root; `undefined` when it has none. */
function fieldsAt(fields: FieldSet, [element, ...rest]: readonly PathElement[]): FieldSet | undefined {
  if (element === undefined) return fields;
  const node = nodeAt(fields, element);
  const below = node === undefined ? undefined : fieldsAt(node, rest);
  if (below === undefined) return undefined;
  const fieldSet: JsonObject = { [element]: below };
  return fieldSet;
}
