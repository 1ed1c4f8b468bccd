/**
 * What documents of other servers add to the document of version 2: the paths of the group version that is registered, and the definitions. What is defined here already and
 * says the same is not said twice; what says something else gets a name of its own, `_v2` and so on. Whatever such a document holds, the others are not touched by it.
 */
import { errorMessage } from '../../shared/runtime/error-message';
import { equalJson, isObject, own, type JsonObject, type JsonValue } from '../../shared/values/json';
import type { Piece } from './documents';

export interface RemoteText {
  /** `apis/<group>/<version>` */
  readonly name: string;
  readonly text: string;
}

/** A document that is left out, and why. */
export interface LeftOut {
  readonly name: string;
  readonly message: string;
}

const DEFINITIONS = '#/definitions/';
const PARAMETERS = '#/parameters/';
const KINDS = 'x-kubernetes-group-version-kind';

/** `taken`: names under which something else is defined already that is not in `known`. */
export class RemotePieces {
  readonly leftOut: LeftOut[] = [];
  private readonly defined: Map<string, JsonValue>;

  constructor(
    known: JsonObject,
    private readonly taken: ReadonlySet<string>,
  ) {
    this.defined = new Map(Object.entries(known));
  }

  /** Undefined = it is left out. */
  add({ name, text }: RemoteText): Piece | undefined {
    try {
      return this.pieceOf(name, JSON.parse(text));
    } catch (error) {
      // Whoever wrote it may have nested it deeper than can be gone through.
      this.leftOut.push({ name, message: errorMessage(error) });
      return undefined;
    }
  }

  private pieceOf(name: string, parsed: unknown): Piece {
    const document = isJsonObject(parsed) ? parsed : undefined;
    if (document === undefined || document['swagger'] !== '2.0') throw new Error('no document of OpenAPI 2.0');
    const all = objectOr(document['paths']);
    const kept = Object.entries(all).filter(([path, item]) => path.startsWith(`/${name}/`) && isObject(item));
    const definitions = wanted(objectOr(document['definitions']), all, Object.fromEntries(kept));
    const parameters = objectOr(document['parameters']);
    const renamed = new Map<string, string>();
    const added: [string, JsonValue][] = [];
    for (const [definition, schema] of definitions) {
      const place = this.placeOf(definition, schema);
      if (place.name !== definition) renamed.set(definition, place.name);
      if (place.isNew) added.push([place.name, schema]);
    }
    const rewrite = (value: JsonValue): JsonValue => rewritten(value, renamed, parameters);
    return {
      paths: Object.fromEntries(kept.map(([path, item]) => [path, rewrite(item)])),
      schemas: Object.fromEntries(added.map(([definition, schema]) => [definition, rewrite(schema)])),
    };
  }

  /** The first name that is free, or under which the same is defined. */
  private placeOf(definition: string, schema: JsonValue): { readonly name: string; readonly isNew: boolean } {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? definition : `${definition}_v${count}`;
      if (this.taken.has(name)) continue;
      const known = this.defined.get(name);
      if (known === undefined) {
        this.defined.set(name, schema);
        return { name, isNew: true };
      }
      if (sameButKinds(known, schema)) return { name, isNew: false };
    }
  }
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOr = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** What is defined, without what only paths use that are not kept. */
function wanted(definitions: JsonObject, all: JsonObject, kept: JsonObject): [string, JsonValue][] {
  const before = reached(definitions, all);
  const after = reached(definitions, kept);
  return Object.entries(definitions).filter(([name, schema]) => isObject(schema) && (after.has(name) || !before.has(name)));
}

/** The definitions that paths use, and those that these use. */
function reached(definitions: JsonObject, from: JsonValue): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: JsonValue[] = [from];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) waiting.push(member);
    const reference = isObject(value) ? own(value, '$ref') : undefined;
    if (typeof reference !== 'string' || !reference.startsWith(DEFINITIONS)) continue;
    const name = reference.slice(DEFINITIONS.length);
    const schema = own(definitions, name);
    if (found.has(name) || schema === undefined) continue;
    found.add(name);
    waiting.push(schema);
  }
  return found;
}

/** With the names that definitions have got; parameters stand where they are used, as in all that this server says. */
function rewritten(value: JsonValue, renamed: ReadonlyMap<string, string>, parameters: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, renamed, parameters));
  if (!isObject(value)) return value;
  const reference = own(value, '$ref');
  if (typeof reference === 'string' && reference.startsWith(PARAMETERS)) {
    return own(parameters, reference.slice(PARAMETERS.length)) ?? value;
  }
  if (typeof reference === 'string' && reference.startsWith(DEFINITIONS)) {
    const name = reference.slice(DEFINITIONS.length);
    return { ...value, $ref: DEFINITIONS + (renamed.get(name) ?? name) };
  }
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, rewritten(each, renamed, parameters)]));
}

/** Under which kinds a definition is known may differ. */
function sameButKinds(a: JsonValue, b: JsonValue): boolean {
  return equalJson(withoutKinds(a), withoutKinds(b));
}

function withoutKinds(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const { [KINDS]: _, ...rest } = value;
  return rest;
}
