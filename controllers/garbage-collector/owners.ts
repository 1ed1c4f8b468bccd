/**
 * What the collector reads of an object's metadata: who owns it, and how it is going. An object is kept as little more than that, because there may be a
 * hundred thousand of them.
 */
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';

/** Keeps an owner until those of its children that block are gone, and until all of them have forgotten it. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The owner's deletion in the foreground waits for this object. */
  readonly blocks: boolean;
  readonly reference: JsonObject;
}

/** References without a uid lead nowhere; the server takes none. */
export function ownersOf({ body }: ApiObject): readonly Owner[] {
  const references = arrayAt(objectAt(body, 'metadata'), 'ownerReferences') ?? [];
  return references.filter(isObject).flatMap((reference) => {
    const uid = stringAt(reference, 'uid') ?? '';
    if (uid === '') return [];
    return {
      apiVersion: stringAt(reference, 'apiVersion') ?? '',
      kind: stringAt(reference, 'kind') ?? '',
      name: stringAt(reference, 'name') ?? '',
      uid,
      blocks: own(reference, 'blockOwnerDeletion') === true,
      reference,
    };
  });
}

/** It is being deleted, but only after its children. */
export const isWaiting = (object: ApiObject): boolean => isBeingDeleted(object) && finalizersOf(object).includes(FOREGROUND);

/** It is being deleted, but its children are to stay. */
export const isOrphaning = (object: ApiObject): boolean => isBeingDeleted(object) && finalizersOf(object).includes(ORPHAN);

const NOTHING: JsonObject = {};
/** Words that many objects share, once each. */
const WORDS = 4_096;

/** Makes what is kept of objects. */
export class Trimmer {
  private readonly words = new Map<string, string>();

  readonly trim = ({ namespace, name, uid, resourceVersion, body }: ApiObject): ApiObject => {
    return { namespace: this.word(namespace), name, uid, resourceVersion, body: this.body(objectAt(body, 'metadata')) };
  };

  private body(metadata: JsonObject | undefined): JsonObject {
    const owners = arrayAt(metadata, 'ownerReferences') ?? [];
    const finalizers = arrayAt(metadata, 'finalizers') ?? [];
    const deletionTimestamp = stringAt(metadata, 'deletionTimestamp');
    if (owners.length === 0 && finalizers.length === 0 && deletionTimestamp === undefined) return NOTHING;
    return {
      metadata: {
        ...(owners.length === 0 ? {} : { ownerReferences: owners.map((owner) => this.reference(owner)) }),
        ...(finalizers.length === 0 ? {} : { finalizers: finalizers.map((name) => this.worded(name)) }),
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      },
    };
  }

  private reference(value: JsonValue): JsonValue {
    if (!isObject(value)) return value;
    const copy: JsonObject = {};
    for (const [member, item] of Object.entries(value)) copy[member] = member === 'uid' || member === 'name' ? item : this.worded(item);
    return copy;
  }

  private worded(value: JsonValue): JsonValue {
    return typeof value === 'string' ? this.word(value) : value;
  }

  private word(text: string): string {
    const known = this.words.get(text);
    if (known !== undefined) return known;
    if (this.words.size >= WORDS) this.words.clear();
    this.words.set(text, text);
    return text;
  }
}
