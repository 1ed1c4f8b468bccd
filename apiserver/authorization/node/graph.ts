/**
 * The graph of the Node authorizer: which objects each node references. A node references the objects that its pods name,
 * the volumes bound to the claims of its pods, and the Secrets of those volumes. Extracting references from objects is left
 * to references.ts.
 */
import type { Reference, PersistentVolumeReferences } from './references';

/** An object that pods reference. */
interface ReferencedObject {
  readonly key: string;
  /** Number of references by pods, for each node. */
  readonly nodes: Map<string, number>;
}

/** A pod that is scheduled to a node. */
interface ScheduledPod {
  readonly node: string;
  /** One entry for each reference; an object that the pod names twice occurs twice. */
  readonly targets: readonly ReferencedObject[];
}

const keyOf = ({ kind, namespace, name }: Reference): string => `${kind}/${namespace}/${name}`;

/** Which objects the pods of each node refer to. Updated by the informer, read for every request of a node. */
export class NodeGraph {
  /** The objects that pods reference, by {@link keyOf}. */
  private readonly targets = new Map<string, ReferencedObject>();
  /** By `namespace/name`. */
  private readonly pods = new Map<string, ScheduledPod>();
  /** The PersistentVolumes by name. */
  private readonly volumes = new Map<string, PersistentVolumeReferences>();
  /** Names of PersistentVolumes by {@link keyOf} the Secret that they reference. */
  private readonly volumesBySecret = new Map<string, Set<string>>();
  /** The nodes of VolumeAttachments by the attachment's name. */
  private readonly attachments = new Map<string, string>();

  /** Adds or replaces a pod. `key`: namespace/name. `node` is `undefined` for a pod that is unscheduled or deleted. */
  setPod(key: string, node: string | undefined, references: readonly Reference[]): void {
    const previous = this.pods.get(key);
    if (previous !== undefined) this.removeReferences(previous);
    this.pods.delete(key);
    if (node === undefined) return;
    const targets = references.map((reference) => this.getOrCreateTarget(keyOf(reference)));
    for (const { nodes } of targets) nodes.set(node, (nodes.get(node) ?? 0) + 1);
    this.pods.set(key, { node, targets });
  }

  /** Adds or replaces a PersistentVolume. `references` is `undefined` when the volume was deleted. */
  setVolume(name: string, references: PersistentVolumeReferences | undefined): void {
    this.removeVolume(name);
    if (references === undefined) return;
    this.volumes.set(name, references);
    for (const secret of references.secrets) {
      const volumes = this.volumesBySecret.get(keyOf(secret)) ?? new Set<string>();
      this.volumesBySecret.set(keyOf(secret), volumes.add(name));
    }
  }

  /** Adds or replaces a VolumeAttachment. `node` is `undefined` when the attachment was deleted. */
  setAttachment(name: string, node: string | undefined): void {
    if (node === undefined) this.attachments.delete(name);
    else this.attachments.set(name, node);
  }

  /** Whether a pod on the node, or a PersistentVolume that such a pod uses, references the object. */
  isReferencedByNode(node: string, reference: Reference): boolean {
    const key = keyOf(reference);
    if (this.targets.get(key)?.nodes.has(node) === true) return true;
    for (const volume of this.volumesBySecret.get(key) ?? []) if (this.isVolumeReferencedByNode(node, volume)) return true;
    return false;
  }

  /** Whether a pod on the node uses the claim to which the volume is bound. */
  isVolumeReferencedByNode(node: string, volume: string): boolean {
    const claim = this.volumes.get(volume)?.claim;
    return claim !== undefined && this.targets.get(keyOf(claim))?.nodes.has(node) === true;
  }

  /** Whether the VolumeAttachment of this name is for the node. */
  isAttachedTo(node: string, attachment: string): boolean {
    return this.attachments.get(attachment) === node;
  }

  private getOrCreateTarget(key: string): ReferencedObject {
    const existing = this.targets.get(key);
    if (existing !== undefined) return existing;
    const created = { key, nodes: new Map<string, number>() };
    this.targets.set(key, created);
    return created;
  }

  private removeReferences({ node, targets }: ScheduledPod): void {
    for (const { key, nodes } of targets) {
      const remaining = (nodes.get(node) ?? 1) - 1;
      if (remaining > 0) nodes.set(node, remaining);
      else nodes.delete(node);
      if (nodes.size === 0) this.targets.delete(key);
    }
  }

  private removeVolume(name: string): void {
    for (const secret of this.volumes.get(name)?.secrets ?? []) {
      const volumes = this.volumesBySecret.get(keyOf(secret));
      volumes?.delete(name);
      if (volumes?.size === 0) this.volumesBySecret.delete(keyOf(secret));
    }
    this.volumes.delete(name);
  }
}
