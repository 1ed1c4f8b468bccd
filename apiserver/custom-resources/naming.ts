/**
 * Which of the names that a definition asks for it gets: those that no other definition of its group has. Pure: from the
 * accepted names of the others to the definition's own names and condition.
 */
import { equalJson, type JsonObject, objectAt, stringAt, stringsAt } from '../../shared/values/json';
import { quote } from '../../shared/values/quote';
import { conditionIsTrue, ESTABLISHED, NOT_ESTABLISHED, withCondition, type Condition } from './conditions';

/** Names that others of a group have; group-names.ts keeps them. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: Pick<ReadonlySet<string>, 'has'>;
  /** Kinds and list kinds. */
  readonly kinds: Pick<ReadonlySet<string>, 'has'>;
}

/** What a definition asks for, and what it has. */
export interface Named {
  readonly requested: JsonObject;
  readonly status: JsonObject;
}

/** The status of a definition among others, the same when nothing changes. `others` = what the other definitions of its group have. `ms` since 1970. */
export function nameStatus({ requested, status }: Named, others: TakenNames, ms: number): JsonObject {
  const { names, condition } = accept(requested, objectAt(status, 'acceptedNames') ?? {}, others);
  const named = withCondition(equalJson(names, status['acceptedNames']) ? status : { ...status, acceptedNames: names }, condition, ms);
  if (conditionIsTrue(status, 'Established')) return named;
  return withCondition(named, condition.status === 'True' ? ESTABLISHED : NOT_ESTABLISHED, ms);
}

interface Accepted {
  readonly names: JsonObject;
  readonly condition: Condition;
}

function accept(requested: JsonObject, before: JsonObject, { resources, kinds }: TakenNames): Accepted {
  const names: JsonObject = { plural: '', kind: '', ...before };
  let condition: Condition = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const refuse = (reason: string, message: string): void => {
    condition = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const isTaken = (name: string, taken: TakenNames['kinds']): boolean => taken.has(name);
  for (const { member, reason, taken } of [
    { member: 'plural', reason: 'PluralConflict', taken: resources },
    { member: 'singular', reason: 'SingularConflict', taken: resources },
  ]) {
    const name = stringAt(requested, member) ?? '';
    if (isTaken(name, taken)) refuse(reason, `${quote(name)} is already in use`);
    else place(names, member, name);
  }
  const shortNames = stringsAt(requested, 'shortNames');
  const conflicts = shortNames.filter((name) => isTaken(name, resources)).map((name) => `${quote(name)} is already in use`);
  if (conflicts.length > 0) refuse('ShortNamesConflict', conflicts.length === 1 ? conflicts.join('') : `[${conflicts.join(', ')}]`);
  else placeList(names, 'shortNames', shortNames);
  for (const { member, reason } of [
    { member: 'kind', reason: 'KindConflict' },
    { member: 'listKind', reason: 'ListKindConflict' },
  ]) {
    const name = stringAt(requested, member) ?? '';
    if (isTaken(name, kinds)) refuse(reason, `${quote(name)} is already in use`);
    else place(names, member, name);
  }
  placeList(names, 'categories', stringsAt(requested, 'categories'));
  return { names, condition };
}

function place(names: JsonObject, member: string, name: string): void {
  if (name !== '' || member === 'plural' || member === 'kind') names[member] = name;
  else delete names[member];
}

function placeList(names: JsonObject, member: string, list: readonly string[]): void {
  if (list.length > 0) names[member] = [...list];
  else delete names[member];
}
