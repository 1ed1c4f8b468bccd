/**
 * The items of keyed lists and sets that an applied configuration leaves out and that stay because other managers own fields of them. Explains a refusal;
 * decides nothing about ownership.
 */
import { isObject, own, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { Applied, Conflict } from './apply';
import { isSameManager, type ManagedFieldsEntry, type Manager } from './entries';
import { elementsOf, EMPTY_SET, isMember, nodeAt, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberShape, shapeFor, type Shape } from './shape';

export interface KeptItem {
  /** As validation names it: `spec.ports[1]`. */
  readonly field: string;
  /** What others own of it. */
  readonly owners: readonly Conflict[];
}

/** `before` = the entries from which `applied` was made. */
export function keptItems(shape: Shape, before: readonly ManagedFieldsEntry[], applied: Applied, manager: Manager): readonly KeptItem[] {
  const fieldsIn = (entries: readonly ManagedFieldsEntry[]): FieldSet =>
    entries.find((entry) => isSameManager(entry.manager, manager))?.fields ?? EMPTY_SET;
  const walker = new Walker(applied.entries.filter((entry) => !isSameManager(entry.manager, manager)));
  walker.visit(shape, applied.object, fieldsIn(before), fieldsIn(applied.entries), '');
  return walker.found;
}

class Walker {
  readonly found: KeptItem[] = [];
  private readonly path: PathElement[] = [];

  constructor(private readonly others: readonly ManagedFieldsEntry[]) {}

  visit(declared: Shape, value: JsonValue, last: FieldSet, now: FieldSet, field: string): void {
    const shape = shapeFor(declared, value);
    if ((shape.kind === 'keyed' || shape.kind === 'set') && Array.isArray(value)) {
      const indexes = indexesOf(shape, value);
      for (const element of elementsOf(last)) {
        const index = indexes.get(element);
        if (index !== undefined) this.child(shape.of, element, value[index] ?? null, [last, now], `${field}[${index}]`, true);
      }
    } else if (isObject(value)) {
      for (const element of elementsOf(last)) {
        const name = element.slice(2);
        const [member, found] = [memberShape(shape, name), own(value, name)];
        if (member === undefined || found === undefined) continue;
        this.child(member, element, found, [last, now], field === '' ? name : `${field}.${name}`, false);
      }
    }
  }

  private child(
    shape: Shape,
    element: PathElement,
    value: JsonValue,
    [last, now]: readonly [last: FieldSet, now: FieldSet],
    field: string,
    isItem: boolean,
  ): void {
    const [was, is] = [nodeAt(last, element), nodeAt(now, element)];
    if (was === undefined) return;
    this.path.push(element);
    if (isItem && isMember(was) && is === undefined) this.keep(field);
    else this.visit(shape, value, was, is ?? EMPTY_SET, field);
    this.path.pop();
  }

  private keep(field: string): void {
    const owners = this.others.flatMap(({ manager, fields }) => {
      const owned = part(fields, this.path);
      return owned === undefined ? [] : [{ manager, fields: owned }];
    });
    if (owners.length > 0) this.found.push({ field, owners });
  }
}

function indexesOf(shape: Extract<Shape, { kind: 'keyed' | 'set' }>, items: JsonArray): ReadonlyMap<PathElement, number> {
  const indexes = new Map<PathElement, number>();
  items.forEach((item, index) => indexes.set(itemElement(shape, item), index));
  return indexes;
}

/** What a set has at and below a path; undefined = nothing. */
function part(fields: FieldSet, [element, ...rest]: readonly PathElement[]): FieldSet | undefined {
  if (element === undefined) return fields;
  const node = nodeAt(fields, element);
  const below = node === undefined ? undefined : part(node, rest);
  if (below === undefined) return undefined;
  const found: JsonObject = { [element]: below };
  return found;
}
