/**
 * Converts the OpenAPI v2 documents of aggregated API servers to pieces of this server's v2 document. A piece has only
 * the paths of its registered group version, and the definitions that it adds. A definition that equals one of this
 * server or of an earlier piece is not added. One that differs from another of the same name gets a new name:
 * `Flunder` -> `Flunder_v2`, then `Flunder_v3`. An invalid document is rejected as a whole and does not affect the
 * others. Fetching the documents and joining the pieces are left to the callers.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import { equalJson, isObject, ownMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { DocumentPiece } from '../documents/documents';

/** The v2 document of an aggregated API server for one group version, as received. */
export interface RemoteText {
  /** `apis/<group>/<version>` */
  readonly name: string;
  readonly text: string;
}

/** A rejected document and the reason. */
export interface RejectedDocument {
  readonly name: string;
  readonly message: string;
}

/** The beginnings of references, and the extension that names the kinds of a definition. */
const DEFINITIONS = '#/definitions/';
const PARAMETERS = '#/parameters/';
const KINDS = 'x-kubernetes-group-version-kind';

/** Documents are added one after another; the names of their definitions are assigned in this order. */
export class RemotePieces {
  readonly rejected: RejectedDocument[] = [];
  /** The definitions of this server and of the documents that were added before, by their assigned names. */
  private readonly defined: Map<string, JsonValue>;

  /**
   * `takenNames`: names of further definitions of this server. Their contents are not known here, so none is equal to
   * them.
   */
  constructor(
    ownDefinitions: JsonObject,
    private readonly takenNames: ReadonlySet<string>,
  ) {
    this.defined = new Map(Object.entries(ownDefinitions));
  }

  /** Adds a document and returns its piece; `undefined` when the document is rejected. */
  add({ name, text }: RemoteText): DocumentPiece | undefined {
    try {
      return this.pieceOf(name, JSON.parse(text));
    } catch (error) {
      // Not a JSON document of OpenAPI 2.0, or nested so deeply that the recursion overflows the stack.
      this.rejected.push({ name, message: errorMessage(error) });
      return undefined;
    }
  }

  /** Throws for a document that is not one of OpenAPI 2.0. */
  private pieceOf(name: string, parsed: unknown): DocumentPiece {
    const document = isJsonObject(parsed) ? parsed : undefined;
    if (document === undefined || document['swagger'] !== '2.0') throw new Error('not an OpenAPI 2.0 document');
    const paths = objectOrEmpty(document['paths']);
    const keptPaths = Object.entries(paths).filter(([path, item]) => path.startsWith(`/${name}/`) && isObject(item));
    const definitions = neededDefinitions(objectOrEmpty(document['definitions']), paths, Object.fromEntries(keptPaths));
    const parameters = objectOrEmpty(document['parameters']);
    const renamed = new Map<string, string>();
    const added: [string, JsonValue][] = [];
    for (const [definition, schema] of definitions) {
      const assigned = this.assignName(definition, schema);
      if (assigned.name !== definition) renamed.set(definition, assigned.name);
      if (assigned.isNew) added.push([assigned.name, schema]);
    }
    const rewrite = (value: JsonValue): JsonValue => rewriteReferences(value, renamed, parameters);
    return {
      paths: Object.fromEntries(keptPaths.map(([path, item]) => [path, rewrite(item)])),
      schemas: Object.fromEntries(added.map(([definition, schema]) => [definition, rewrite(schema)])),
    };
  }

  /** The first unused name, or one with an equal definition. */
  private assignName(definition: string, schema: JsonValue): { readonly name: string; readonly isNew: boolean } {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? definition : `${definition}_v${count}`;
      if (this.takenNames.has(name)) continue;
      const existing = this.defined.get(name);
      if (existing === undefined) {
        this.defined.set(name, schema);
        return { name, isNew: true };
      }
      if (isEqualExceptKinds(existing, schema)) return { name, isNew: false };
    }
  }
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
/** An empty object for a value that is none. */
const objectOrEmpty = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** All definitions except those that only omitted paths use. Definitions that no path uses are kept. */
function neededDefinitions(definitions: JsonObject, allPaths: JsonObject, keptPaths: JsonObject): [string, JsonValue][] {
  const usedByAll = reachableDefinitions(definitions, allPaths);
  const usedByKept = reachableDefinitions(definitions, keptPaths);
  const isNeeded = (name: string): boolean => usedByKept.has(name) || !usedByAll.has(name);
  return Object.entries(definitions).filter(([name, schema]) => isObject(schema) && isNeeded(name));
}

/** The definitions that paths refer to, directly or indirectly. */
function reachableDefinitions(definitions: JsonObject, from: JsonValue): ReadonlySet<string> {
  const reachable = new Set<string>();
  const queue: JsonValue[] = [from];
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) queue.push(member);
    const reference = isObject(value) ? ownMember(value, '$ref') : undefined;
    if (typeof reference !== 'string' || !reference.startsWith(DEFINITIONS)) continue;
    const name = reference.slice(DEFINITIONS.length);
    const schema = ownMember(definitions, name);
    if (reachable.has(name) || schema === undefined) continue;
    reachable.add(name);
    queue.push(schema);
  }
  return reachable;
}

/** Renames references to definitions and inlines parameters, as in this server's own documents. */
function rewriteReferences(value: JsonValue, renamed: ReadonlyMap<string, string>, parameters: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rewriteReferences(item, renamed, parameters));
  if (!isObject(value)) return value;
  const reference = ownMember(value, '$ref');
  if (typeof reference === 'string' && reference.startsWith(PARAMETERS)) {
    return ownMember(parameters, reference.slice(PARAMETERS.length)) ?? value;
  }
  if (typeof reference === 'string' && reference.startsWith(DEFINITIONS)) {
    const name = reference.slice(DEFINITIONS.length);
    return { ...value, $ref: DEFINITIONS + (renamed.get(name) ?? name) };
  }
  const rewriteMember = ([member, nested]: [string, JsonValue]): [string, JsonValue] => [
    member,
    rewriteReferences(nested, renamed, parameters),
  ];
  return Object.fromEntries(Object.entries(value).map(rewriteMember));
}

/** Compares definitions without their group, version and kind extension, which may differ. */
function isEqualExceptKinds(a: JsonValue, b: JsonValue): boolean {
  return equalJson(withoutKinds(a), withoutKinds(b));
}

function withoutKinds(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const { [KINDS]: _, ...withoutExtension } = value;
  return withoutExtension;
}
