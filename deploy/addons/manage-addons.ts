/**
 * Installs, lists and deletes add-ons. Server-side apply keeps the fields that others manage; a field of the manifests
 * that another manager has changed is a conflict, unless the caller forces it.
 */
import type { AppsV1DaemonSet, AppsV1Deployment } from '../../shared/api/types/generated/members';
import { isNotFound, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { namespaceOf } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { apiVersionInDialect } from '../../shared/names/dialect';
import { objectAt, stringAt } from '../../shared/values/json';
import { NODE_DIALECT, SYSTEM_NAMESPACE, yamlDocument, type ClusterObject } from '../nodes/cluster-objects';
import type { Addon, AddonSettings } from './addon';
import { COREDNS } from './coredns';
import { KUBE_PROXY } from './kube-proxy';

export const ADDONS: readonly Addon[] = [COREDNS, KUBE_PROXY];

const FIELD_MANAGER = 'platform-addons';

/** What is installed of an add-on. */
export interface AddonState {
  readonly name: string;
  /** `undefined` when the add-on is not installed. */
  readonly image: string | undefined;
  readonly readyPods: number;
  readonly desiredPods: number;
}

/**
 * Applies the objects in their order. `onApplied` receives the name of each applied object, such as `services/kube-dns`.
 * Rejects with the error of the server, 409 for a conflict unless `force` is set.
 */
export async function applyAddon(
  client: RestClient,
  { addon, settings, force, onApplied }: { addon: Addon; settings: AddonSettings; force: boolean; onApplied: (name: string) => void },
  signal: AbortSignal,
): Promise<void> {
  for (const { resource, object } of addon.objects(settings)) {
    await client.of(resource).namespace(namespaceOf(object)).apply(object, { fieldManager: FIELD_MANAGER, force, signal });
    onApplied(displayName({ resource, object }));
  }
}

/** Deletes the objects in reverse order. Missing ones are skipped, without a call of `onDeleted`. */
export async function deleteAddon(
  client: RestClient,
  { addon, settings, onDeleted }: { addon: Addon; settings: AddonSettings; onDeleted: (name: string) => void },
  signal: AbortSignal,
): Promise<void> {
  for (const { resource, object } of addon.objects(settings).toReversed()) {
    const name = stringAt(objectAt(object, 'metadata'), 'name') ?? '';
    try {
      await client.of(resource).namespace(namespaceOf(object)).delete(name, { propagationPolicy: 'Background', signal });
      onDeleted(displayName({ resource, object }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Such as `services/kube-dns`. */
const displayName = ({ resource, object }: ClusterObject): string =>
  `${resource.resource}/${stringAt(objectAt(object, 'metadata'), 'name') ?? ''}`;

/** Reads the state from the workload of the add-on. */
export async function readAddonState(client: RestClient, { name, workload }: Addon, signal: AbortSignal): Promise<AddonState> {
  const resource: Resource<AppsV1Deployment & AppsV1DaemonSet> = workload;
  const installed = await undefinedIfNotFound(client.of(resource).namespace(SYSTEM_NAMESPACE).get(name, { signal }));
  if (installed === undefined) return { name, image: undefined, readyPods: 0, desiredPods: 0 };
  const { spec, status } = installed.body;
  return {
    name,
    image: spec?.template?.spec?.containers?.[0]?.image ?? '',
    readyPods: status?.readyReplicas ?? status?.numberReady ?? 0,
    desiredPods: spec?.replicas ?? status?.desiredNumberScheduled ?? 0,
  };
}

/** The objects as YAML documents, for tools that apply files. */
export function manifestOf(addon: Addon, settings: AddonSettings): string {
  return addon
    .objects(settings)
    .map(({ resource, object }) => {
      const apiVersion = apiVersionInDialect(NODE_DIALECT, apiVersionOf(resource));
      return `---\n${yamlDocument({ apiVersion, kind: resource.kind, ...object })}`;
    })
    .join('');
}
