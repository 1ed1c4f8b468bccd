/**
 * Decides which requested names a definition gets: those that no other definition of its group uses. Pure functions
 * from the accepted names of the others to the names and conditions of the definition.
 */
import { equalJson, type JsonObject, objectAt, stringAt, stringsAt } from '../../shared/values/json';
import { quote } from '../../shared/values/text/quote';
import { withCondition } from '../registry/object/conditions';
import { isConditionTrue, ESTABLISHED, NOT_ESTABLISHED, type DefinitionCondition } from './conditions';

/** Names that other definitions of a group use; see group-names.ts. */
export interface NamesInUse {
  /** Plurals, singulars and short names. */
  readonly resources: Pick<ReadonlySet<string>, 'has'>;
  /** Kinds and list kinds. */
  readonly kinds: Pick<ReadonlySet<string>, 'has'>;
}

/** The requested names and the status of a definition. */
export interface NamedDefinition {
  readonly requestedNames: JsonObject;
  readonly status: JsonObject;
}

/**
 * The status with accepted names and the conditions about them; the same object when nothing changes. `others` holds
 * the names that other definitions of the group use. `ms` is in milliseconds since 1970.
 */
export function updateNameStatus({ requestedNames, status }: NamedDefinition, others: NamesInUse, ms: number): JsonObject {
  const { names, condition } = acceptNames(requestedNames, objectAt(status, 'acceptedNames') ?? {}, others);
  const named = withCondition(equalJson(names, status['acceptedNames']) ? status : { ...status, acceptedNames: names }, condition, ms);
  if (isConditionTrue(status, 'Established')) return named;
  return withCondition(named, condition.status === 'True' ? ESTABLISHED : NOT_ESTABLISHED, ms);
}

/** The names that a definition gets, and the condition NamesAccepted that follows. */
interface NameDecision {
  readonly names: JsonObject;
  readonly condition: DefinitionCondition;
}

/** `before`: the accepted names so far. Of several conflicts the last one is reported (upstream behaviour). */
function acceptNames(requested: JsonObject, before: JsonObject, { resources, kinds }: NamesInUse): NameDecision {
  const names: JsonObject = { plural: '', kind: '', ...before };
  let condition: DefinitionCondition = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const reject = (reason: string, message: string): void => {
    condition = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  for (const { member, reason, inUse } of [
    { member: 'plural', reason: 'PluralConflict', inUse: resources },
    { member: 'singular', reason: 'SingularConflict', inUse: resources },
  ]) {
    const name = stringAt(requested, member) ?? '';
    if (inUse.has(name)) reject(reason, `${quote(name)} is already in use`);
    else setName(names, member, name);
  }
  const shortNames = stringsAt(requested, 'shortNames');
  const conflicts = shortNames.filter((name) => resources.has(name)).map((name) => `${quote(name)} is already in use`);
  if (conflicts.length > 0) reject('ShortNamesConflict', conflicts.length === 1 ? conflicts.join('') : `[${conflicts.join(', ')}]`);
  else setNameList(names, 'shortNames', shortNames);
  for (const { member, reason } of [
    { member: 'kind', reason: 'KindConflict' },
    { member: 'listKind', reason: 'ListKindConflict' },
  ]) {
    const name = stringAt(requested, member) ?? '';
    if (kinds.has(name)) reject(reason, `${quote(name)} is already in use`);
    else setName(names, member, name);
  }
  setNameList(names, 'categories', stringsAt(requested, 'categories'));
  return { names, condition };
}

/** An empty plural or kind is stored, any other empty name is removed. */
function setName(names: JsonObject, member: string, name: string): void {
  if (name !== '' || member === 'plural' || member === 'kind') names[member] = name;
  else delete names[member];
}

function setNameList(names: JsonObject, member: string, list: readonly string[]): void {
  if (list.length > 0) names[member] = [...list];
  else delete names[member];
}
