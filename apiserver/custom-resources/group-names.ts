/**
 * An index of the accepted names of all definitions by group, so that a conflict check takes the same time for any
 * number of definitions. naming.ts decides about conflicts.
 */
import { stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import type { NamesInUse } from './naming';

/** The definitions that have a name. */
type DefinitionsByName = Map<string, Set<string>>;

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
  readonly accepted: JsonObject;
  /** Whether the definition requests names that it did not get. */
  readonly isAwaitingNames: boolean;
}

interface DefinitionNames {
  readonly group: string;
  readonly names: JsonObject;
}

/** The names that the definitions of each group hold or await. A name may have several holders. */
export class NamesByGroup {
  private readonly groups = new Map<string, GroupNames>();
  private readonly namesByDefinition = new Map<string, DefinitionNames>();

  /** Replaces what is known of the definition with that name. */
  set(definition: string, { group, accepted, isAwaitingNames }: AcceptedNames): void {
    this.remove(definition);
    const names = this.namesOf(group);
    for (const [holders, name] of namesIn(accepted, names)) {
      const definitions = holders.get(name);
      if (definitions === undefined) holders.set(name, new Set([definition]));
      else definitions.add(definition);
    }
    if (isAwaitingNames) names.awaiting.add(definition);
    this.namesByDefinition.set(definition, { group, names: accepted });
  }

  /** Does nothing when the definition is unknown. */
  remove(definition: string): void {
    const before = this.namesByDefinition.get(definition);
    if (before === undefined) return;
    const names = this.namesOf(before.group);
    for (const [holders, name] of namesIn(before.names, names)) {
      const definitions = holders.get(name);
      if (definitions?.delete(definition) === true && definitions.size === 0) holders.delete(name);
    }
    names.awaiting.delete(definition);
    this.namesByDefinition.delete(definition);
    if (names.resources.size === 0 && names.kinds.size === 0 && names.awaiting.size === 0) this.groups.delete(before.group);
  }

  /** The names that other definitions of the group use. */
  namesInUse(definition: string, group: string): NamesInUse {
    const names = this.groups.get(group);
    const usedByOthers = (holders: DefinitionsByName | undefined) => ({
      has(name: string): boolean {
        const definitions = holders?.get(name);
        return definitions !== undefined && (definitions.size > 1 || !definitions.has(definition));
      },
    });
    return { resources: usedByOthers(names?.resources), kinds: usedByOthers(names?.kinds) };
  }

  /** The definitions of a group that did not get all requested names. */
  awaitingNames(group: string): Iterable<string> {
    return this.groups.get(group)?.awaiting ?? [];
  }

  private namesOf(group: string): GroupNames {
    let names = this.groups.get(group);
    if (names === undefined) this.groups.set(group, (names = { resources: new Map(), kinds: new Map(), awaiting: new Set() }));
    return names;
  }
}

/** Plurals, singulars and short names share a name space; kinds and list kinds share another one. */
function namesIn(names: JsonObject, { resources, kinds }: GroupNames): readonly (readonly [holders: DefinitionsByName, name: string])[] {
  const entries: (readonly [DefinitionsByName, string])[] = [];
  const add = (holders: DefinitionsByName, name: string | undefined): void => {
    if (name !== undefined && name !== '') entries.push([holders, name]);
  };
  add(resources, stringAt(names, 'plural'));
  add(resources, stringAt(names, 'singular'));
  for (const name of stringsAt(names, 'shortNames')) add(resources, name);
  add(kinds, stringAt(names, 'kind'));
  add(kinds, stringAt(names, 'listKind'));
  return entries;
}
