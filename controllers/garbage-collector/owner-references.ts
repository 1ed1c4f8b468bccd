/**
 * What the collector reads of an object's metadata: who owns it, and how it is going. An object is kept as little more than that, because there may be a
 * hundred thousand of them.
 */
import type { MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import type { PartialObjectMetadata } from '../../shared/client/rest/resource';

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
  readonly reference: MetaV1OwnerReference;
}

/** References without a uid lead nowhere; the server accepts none. */
export function ownersOf({ metadata }: Pick<ApiObject, 'metadata'>): readonly Owner[] {
  return (metadata.ownerReferences ?? []).flatMap((reference) => {
    const { apiVersion = '', kind = '', name = '', uid = '', blockOwnerDeletion = false } = reference;
    return uid === '' ? [] : [{ apiVersion, kind, name, uid, blocks: blockOwnerDeletion === true, reference }];
  });
}

/** It is being deleted, but only after its children. */
export const isWaiting = (object: ApiObject): boolean => isBeingDeleted(object) && finalizersOf(object).includes(FOREGROUND);

/** It is being deleted, but its children are to stay. */
export const isOrphaning = (object: ApiObject): boolean => isBeingDeleted(object) && finalizersOf(object).includes(ORPHAN);

const EMPTY_BODY: PartialObjectMetadata = {};
const EMPTY_METADATA: MetaV1ObjectMeta = {};
/** Strings that many objects share, held once each. */
const WORDS = 4_096;

/** Reduces objects to what the collector reads. */
export class Trimmer {
  private readonly words = new Map<string, string>();

  readonly trim = ({ namespace, name, uid, resourceVersion, metadata }: ApiObject): ApiObject<PartialObjectMetadata> => {
    return { namespace: this.word(namespace), name, uid, resourceVersion, metadata: this.trimmed(metadata), body: EMPTY_BODY };
  };

  private trimmed({ ownerReferences = [], finalizers = [], deletionTimestamp }: MetaV1ObjectMeta): MetaV1ObjectMeta {
    if (ownerReferences.length === 0 && finalizers.length === 0 && deletionTimestamp === undefined) return EMPTY_METADATA;
    return {
      ...(ownerReferences.length === 0 ? {} : { ownerReferences: ownerReferences.map((reference) => this.reference(reference)) }),
      ...(finalizers.length === 0 ? {} : { finalizers: finalizers.map((name) => this.word(name)) }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    };
  }

  private reference({ apiVersion, kind, ...others }: MetaV1OwnerReference): MetaV1OwnerReference {
    return {
      ...(apiVersion === undefined ? {} : { apiVersion: this.word(apiVersion) }),
      ...(kind === undefined ? {} : { kind: this.word(kind) }),
      ...others,
    };
  }

  private word(text: string): string {
    const known = this.words.get(text);
    if (known !== undefined) return known;
    if (this.words.size >= WORDS) this.words.clear();
    this.words.set(text, text);
    return text;
  }
}
