/**
 * Decides which requested names a definition gets: those that no other definition of its group uses. Pure functions
 * from the accepted names of the others to the names and conditions of the definition. Writing them is left to
 * definition-controller.ts.
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
 * the names that other definitions of the group use. `nowMs` is in milliseconds since 1970.
 */
export function updateNameStatus({ requestedNames, status }: NamedDefinition, others: NamesInUse, nowMs: number): JsonObject {
  const { names, condition } = acceptNames(requestedNames, objectAt(status, 'acceptedNames') ?? {}, others);
  const statusWithNames = equalJson(names, status['acceptedNames']) ? status : { ...status, acceptedNames: names };
  const updated = withCondition(statusWithNames, condition, nowMs);
  if (isConditionTrue(status, 'Established')) return updated;
  return withCondition(updated, condition.status === 'True' ? ESTABLISHED : NOT_ESTABLISHED, nowMs);
}

/** The names that a definition gets, and the condition NamesAccepted that follows. */
interface NameDecision {
  readonly names: JsonObject;
  readonly condition: DefinitionCondition;
}

/** `before`: the accepted names so far. Of several conflicts the last one is reported (upstream behaviour). */
function acceptNames(requested: JsonObject, before: JsonObject, { resources, kinds }: NamesInUse): NameDecision {
  const names: JsonObject = { plural: '', kind: '', ...before };
  const conflicts: NameConflict[] = [];
  const acceptName = (member: string, inUse: NamesInUse['kinds'], reason: string): void => {
    const name = stringAt(requested, member) ?? '';
    if (inUse.has(name)) conflicts.push({ reason, message: inUseMessage(name) });
    else setName(names, member, name);
  };
  const acceptShortNames = (): void => {
    const shortNames = stringsAt(requested, 'shortNames');
    const messages = shortNames.filter((name) => resources.has(name)).map(inUseMessage);
    if (messages.length === 0) setNameList(names, 'shortNames', shortNames);
    else conflicts.push({ reason: 'ShortNamesConflict', message: messages.length === 1 ? messages.join() : `[${messages.join(', ')}]` });
  };
  acceptName('plural', resources, 'PluralConflict');
  acceptName('singular', resources, 'SingularConflict');
  acceptShortNames();
  acceptName('kind', kinds, 'KindConflict');
  acceptName('listKind', kinds, 'ListKindConflict');
  setNameList(names, 'categories', stringsAt(requested, 'categories'));
  return { names, condition: conditionAfter(conflicts.at(-1)) };
}

/** Why a requested name is not accepted. */
interface NameConflict {
  readonly reason: string;
  readonly message: string;
}

const inUseMessage = (name: string): string => `${quote(name)} is already in use`;

/** The condition NamesAccepted with this conflict, or without one. */
function conditionAfter(conflict: NameConflict | undefined): DefinitionCondition {
  if (conflict === undefined) return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  return { type: 'NamesAccepted', status: 'False', ...conflict };
}

/** An empty plural or kind is stored, any other empty name is removed. */
function setName(names: JsonObject, member: string, name: string): void {
  if (name !== '' || member === 'plural' || member === 'kind') names[member] = name;
  else delete names[member];
}

/** An empty list is removed. */
function setNameList(names: JsonObject, member: string, list: readonly string[]): void {
  if (list.length > 0) names[member] = [...list];
  else delete names[member];
}
