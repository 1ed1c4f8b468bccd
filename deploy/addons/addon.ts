/**
 * The interface of an add-on: a workload in the system namespace with its manifests, which follow from a few settings
 * alone. Applying, listing and deleting them is left to manage-addons.ts.
 */
import type { Resource } from '../../shared/client/rest/resource';
import type { ClusterNetwork } from '../nodes/kubeadm-configuration';
import type { ClusterObject } from '../nodes/cluster-objects';

/** What the manifests depend on. */
export interface AddonSettings {
  /** Name and tag, or name and digest. */
  readonly image: string;
  readonly network: ClusterNetwork;
  /** The https URL at which pods on the host network reach the API servers. */
  readonly server: URL;
}

/** A row of the table of add-ons. */
export interface Addon {
  readonly name: string;
  /** The image that kubeadm 1.31 installs. */
  readonly defaultImage: string;
  /** The Deployment or DaemonSet, of the add-on's name in the system namespace. */
  readonly workload: Resource;
  /** Each object after those that it refers to. */
  objects(settings: AddonSettings): readonly ClusterObject[];
}
