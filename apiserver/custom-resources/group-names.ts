/**
 * An index of the accepted names of all definitions by group, so that a conflict check takes the same time for any
 * number of definitions. Deciding about conflicts is left to naming.ts.
 */
import { stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import type { NamesInUse } from './naming';

/** The definitions that have a name, by this name. */
type DefinitionsByName = Map<string, Set<string>>;

/** The names in one group. */
interface GroupNames {
  readonly resources: DefinitionsByName;
  readonly kinds: DefinitionsByName;
  /** Definitions that did not get all requested names, and may get them when another definition changes. */
  readonly awaiting: Set<string>;
}

/** The names of a definition, as its status states them. */
export interface AcceptedNames {
  readonly group: string;
  /** `acceptedNames` of the status. */
  readonly names: JsonObject;
  /** Whether the definition requests names that it did not get. */
  readonly isAwaitingNames: boolean;
}

/** The names that the definitions of each group hold or await. A name may have several holders. */
export class NamesByGroup {
  private readonly groups = new Map<string, GroupNames>();
  private readonly namesByDefinition = new Map<string, AcceptedNames>();

  /** Replaces what is known of the definition with that name. */
  set(definition: string, accepted: AcceptedNames): void {
    this.remove(definition);
    const groupNames = this.namesOf(accepted.group);
    for (const { holders, name } of namesIn(accepted, groupNames)) {
      const definitions = holders.get(name);
      if (definitions === undefined) holders.set(name, new Set([definition]));
      else definitions.add(definition);
    }
    if (accepted.isAwaitingNames) groupNames.awaiting.add(definition);
    this.namesByDefinition.set(definition, accepted);
  }

  /** Does nothing when the definition is unknown. */
  remove(definition: string): void {
    const before = this.namesByDefinition.get(definition);
    if (before === undefined) return;
    const groupNames = this.namesOf(before.group);
    for (const { holders, name } of namesIn(before, groupNames)) {
      const definitions = holders.get(name);
      if (definitions?.delete(definition) === true && definitions.size === 0) holders.delete(name);
    }
    groupNames.awaiting.delete(definition);
    this.namesByDefinition.delete(definition);
    const isUnused = groupNames.resources.size === 0 && groupNames.kinds.size === 0 && groupNames.awaiting.size === 0;
    if (isUnused) this.groups.delete(before.group);
  }

  /** The names that other definitions of the group use. */
  namesInUse(definition: string, group: string): NamesInUse {
    const groupNames = this.groups.get(group);
    const usedByOthers = (holders: DefinitionsByName | undefined) => ({
      has(name: string): boolean {
        const definitions = holders?.get(name);
        return definitions !== undefined && (definitions.size > 1 || !definitions.has(definition));
      },
    });
    return { resources: usedByOthers(groupNames?.resources), kinds: usedByOthers(groupNames?.kinds) };
  }

  /** The definitions of a group that did not get all requested names. */
  awaitingNames(group: string): Iterable<string> {
    return this.groups.get(group)?.awaiting ?? [];
  }

  private namesOf(group: string): GroupNames {
    const existing = this.groups.get(group);
    if (existing !== undefined) return existing;
    const created: GroupNames = { resources: new Map(), kinds: new Map(), awaiting: new Set() };
    this.groups.set(group, created);
    return created;
  }
}

/** One name of a definition, and the index of the name space to which the name belongs. */
interface HeldName {
  readonly holders: DefinitionsByName;
  readonly name: string;
}

/** Plurals, singulars and short names share a name space; kinds and list kinds share another one. */
function namesIn({ names }: AcceptedNames, { resources, kinds }: GroupNames): readonly HeldName[] {
  const resourceNames = [stringAt(names, 'plural'), stringAt(names, 'singular'), ...stringsAt(names, 'shortNames')];
  const kindNames = [stringAt(names, 'kind'), stringAt(names, 'listKind')];
  const held = (holders: DefinitionsByName, candidates: readonly (string | undefined)[]): readonly HeldName[] =>
    candidates.flatMap((name) => (name === undefined || name === '' ? [] : [{ holders, name }]));
  return [...held(resources, resourceNames), ...held(kinds, kindNames)];
}
