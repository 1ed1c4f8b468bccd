/** Reduces objects to the metadata that the garbage collector reads, because it holds hundreds of thousands of them. */
import type { MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { PartialObjectMetadata } from '../../shared/client/rest/resource';
import type { MetadataObject } from './owner-references';

const EMPTY_BODY: PartialObjectMetadata = {};
const EMPTY_METADATA: MetaV1ObjectMeta = {};
/** The limit of the strings that are held once; when it is reached they are forgotten, and later objects share new ones. */
const MAX_INTERNED_STRINGS = 4_096;

/** Objects that one instance trims share equal namespaces, kinds, API versions and finalizers. */
export class MetadataTrimmer {
  private readonly interned = new Map<string, string>();

  /** The identity of the object, its owner references, finalizers and deletion timestamp; its body is empty. */
  readonly trim = ({ namespace, name, uid, resourceVersion, metadata }: ApiObject): MetadataObject => {
    return { namespace: this.intern(namespace), name, uid, resourceVersion, metadata: this.trimMetadata(metadata), body: EMPTY_BODY };
  };

  private trimMetadata({ ownerReferences = [], finalizers = [], deletionTimestamp }: MetaV1ObjectMeta): MetaV1ObjectMeta {
    if (ownerReferences.length === 0 && finalizers.length === 0 && deletionTimestamp === undefined) return EMPTY_METADATA;
    return {
      ...(ownerReferences.length === 0 ? {} : { ownerReferences: ownerReferences.map((reference) => this.trimReference(reference)) }),
      ...(finalizers.length === 0 ? {} : { finalizers: finalizers.map((name) => this.intern(name)) }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    };
  }

  private trimReference({ apiVersion, kind, ...others }: MetaV1OwnerReference): MetaV1OwnerReference {
    return {
      ...(apiVersion === undefined ? {} : { apiVersion: this.intern(apiVersion) }),
      ...(kind === undefined ? {} : { kind: this.intern(kind) }),
      ...others,
    };
  }

  private intern(text: string): string {
    const known = this.interned.get(text);
    if (known !== undefined) return known;
    if (this.interned.size >= MAX_INTERNED_STRINGS) this.interned.clear();
    this.interned.set(text, text);
    return text;
  }
}
