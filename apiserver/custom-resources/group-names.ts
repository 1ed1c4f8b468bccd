/**
 * The names that the definitions of each group have, so that asking whether a name is taken costs the same however many definitions there are. Decides
 * nothing: see naming.ts.
 */
import { stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import type { TakenNames } from './naming';

/** Who has a name. */
type Holders = Map<string, Set<string>>;

interface GroupNames {
  readonly resources: Holders;
  readonly kinds: Holders;
  /** Those that did not get all their names: another's change may give them some. */
  readonly wanting: Set<string>;
}

interface Held {
  readonly group: string;
  readonly names: JsonObject;
}

export class NamesByGroup {
  private readonly groups = new Map<string, GroupNames>();
  private readonly held = new Map<string, Held>();

  /** `accepted` = what the definition has; `wants` = it asks for more. */
  place(definition: string, group: string, accepted: JsonObject, wants: boolean): void {
    this.remove(definition);
    const names = this.namesOf(group);
    for (const [holders, name] of namesIn(accepted, names)) {
      const all = holders.get(name);
      if (all === undefined) holders.set(name, new Set([definition]));
      else all.add(definition);
    }
    if (wants) names.wanting.add(definition);
    this.held.set(definition, { group, names: accepted });
  }

  remove(definition: string): void {
    const before = this.held.get(definition);
    if (before === undefined) return;
    const names = this.namesOf(before.group);
    for (const [holders, name] of namesIn(before.names, names)) {
      const all = holders.get(name);
      if (all?.delete(definition) === true && all.size === 0) holders.delete(name);
    }
    names.wanting.delete(definition);
    this.held.delete(definition);
    if (names.resources.size === 0 && names.kinds.size === 0 && names.wanting.size === 0) this.groups.delete(before.group);
  }

  /** What the others of its group have. */
  takenFrom(definition: string, group: string): TakenNames {
    const names = this.groups.get(group);
    const taken = (holders: Holders | undefined) => ({
      has(name: string): boolean {
        const all = holders?.get(name);
        return all !== undefined && (all.size > 1 || !all.has(definition));
      },
    });
    return { resources: taken(names?.resources), kinds: taken(names?.kinds) };
  }

  /** The definitions of a group that did not get all their names. */
  wanting(group: string): Iterable<string> {
    return this.groups.get(group)?.wanting ?? [];
  }

  private namesOf(group: string): GroupNames {
    let names = this.groups.get(group);
    if (names === undefined) this.groups.set(group, (names = { resources: new Map(), kinds: new Map(), wanting: new Set() }));
    return names;
  }
}

/** Plurals, singulars and short names are one sort, kinds and list kinds the other. */
function namesIn(names: JsonObject, { resources, kinds }: GroupNames): readonly (readonly [holders: Holders, name: string])[] {
  const found: (readonly [Holders, string])[] = [];
  const add = (holders: Holders, name: string | undefined): void => {
    if (name !== undefined && name !== '') found.push([holders, name]);
  };
  add(resources, stringAt(names, 'plural'));
  add(resources, stringAt(names, 'singular'));
  for (const name of stringsAt(names, 'shortNames')) add(resources, name);
  add(kinds, stringAt(names, 'kind'));
  add(kinds, stringAt(names, 'listKind'));
  return found;
}
