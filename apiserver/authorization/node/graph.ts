/**
 * Which nodes need which objects: by the pods on them, and by the volumes whose claims these pods use. Told of every pod, volume and attachment; looks
 * nothing up itself. Holds what is referred to once, however many pods do.
 */
import type { Reference, VolumeReferences } from './references';

/** Something that pods refer to. */
interface Target {
  readonly key: string;
  /** How many references lead to it from the pods of a node. */
  readonly nodes: Map<string, number>;
}

interface KnownPod {
  readonly node: string;
  readonly targets: readonly Target[];
}

const keyOf = ({ kind, namespace, name }: Reference): string => `${kind}/${namespace}/${name}`;

export class NodeGraph {
  private readonly targets = new Map<string, Target>();
  private readonly pods = new Map<string, KnownPod>();
  private readonly volumes = new Map<string, VolumeReferences>();
  /** Names of volumes, by the Secret that they need. */
  private readonly volumesOfSecret = new Map<string, Set<string>>();
  private readonly attachments = new Map<string, string>();

  /** `key` is namespace/name. A pod that is on no node or gone has no `node`. */
  setPod(key: string, node: string | undefined, references: readonly Reference[]): void {
    const before = this.pods.get(key);
    if (before !== undefined) this.release(before);
    this.pods.delete(key);
    if (node === undefined) return;
    const targets = references.map((reference) => this.target(keyOf(reference)));
    for (const { nodes } of targets) nodes.set(node, (nodes.get(node) ?? 0) + 1);
    this.pods.set(key, { node, targets });
  }

  /** No `references` = it is gone. */
  setVolume(name: string, references: VolumeReferences | undefined): void {
    for (const secret of this.volumes.get(name)?.secrets ?? []) {
      const volumes = this.volumesOfSecret.get(keyOf(secret));
      volumes?.delete(name);
      if (volumes?.size === 0) this.volumesOfSecret.delete(keyOf(secret));
    }
    if (references === undefined) {
      this.volumes.delete(name);
      return;
    }
    this.volumes.set(name, references);
    for (const secret of references.secrets) {
      const volumes = this.volumesOfSecret.get(keyOf(secret)) ?? new Set<string>();
      this.volumesOfSecret.set(keyOf(secret), volumes.add(name));
    }
  }

  /** No `node` = it is gone. */
  setAttachment(name: string, node: string | undefined): void {
    if (node === undefined) this.attachments.delete(name);
    else this.attachments.set(name, node);
  }

  /** Whether a pod on the node needs the object, or a volume of such a pod does. */
  needs(node: string, reference: Reference): boolean {
    const key = keyOf(reference);
    if (this.targets.get(key)?.nodes.has(node) === true) return true;
    for (const volume of this.volumesOfSecret.get(key) ?? []) if (this.needsVolume(node, volume)) return true;
    return false;
  }

  needsVolume(node: string, volume: string): boolean {
    const claim = this.volumes.get(volume)?.claim;
    return claim !== undefined && this.targets.get(keyOf(claim))?.nodes.has(node) === true;
  }

  isAttachedTo(node: string, attachment: string): boolean {
    return this.attachments.get(attachment) === node;
  }

  private target(key: string): Target {
    const known = this.targets.get(key);
    if (known !== undefined) return known;
    const made = { key, nodes: new Map<string, number>() };
    this.targets.set(key, made);
    return made;
  }

  private release({ node, targets }: KnownPod): void {
    for (const { key, nodes } of targets) {
      const left = (nodes.get(node) ?? 1) - 1;
      if (left > 0) nodes.set(node, left);
      else nodes.delete(node);
      if (nodes.size === 0) this.targets.delete(key);
    }
  }
}
