/**
 * Publishes the ConfigMap cluster-info with the server's URL and CA certificate, as kubeadm does. A joining machine has
 * no credentials yet, so anonymous users may read it. The controller bootstrapsigner adds the signatures.
 */
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { CLUSTER_INFO, CLUSTER_INFO_ROLE } from '../../shared/names/bootstrap-token';
import { GENERATED_NAMES, groupInDialect, type Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';
import type { Random } from '../../shared/runtime/random';
import { createIfMissing, withAdministrator } from './administrator';
import { formatClusterInfoKubeconfig } from './kubeconfig';

/** What is published, and with which credentials. */
export interface Publication {
  /** The https URL for joining machines. */
  readonly server: string;
  /** The https URL from this process; defaults to `server`. */
  readonly reachableAt?: string;
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly naming: Dialect;
}

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const RBAC = 'rbac.authorization.platform.io';
const ROLES = resourceOf('rbac.v1.Role');
const BINDINGS = resourceOf('rbac.v1.RoleBinding');

/** Publishes with the administrator's certificate. Rejects when the server fails. */
export async function publishClusterInfo(publication: Publication, clock: Clock, random: Random, signal: AbortSignal): Promise<void> {
  const { server, reachableAt = server } = publication;
  await withAdministrator({ ...publication, server: reachableAt, clock, random }, (client) =>
    writeClusterInfo(client, publication, signal),
  );
}

/** Creates the Role, its binding and the ConfigMap, and updates the address and the authority in an existing ConfigMap. */
export async function writeClusterInfo(
  client: RestClient,
  { server, authority, naming }: Omit<Publication, 'admin'>,
  signal: AbortSignal,
): Promise<void> {
  const namespace = GENERATED_NAMES[naming].publicNamespace;
  const name = CLUSTER_INFO_ROLE[naming];
  const apiGroup = groupInDialect(naming, RBAC);
  await createIfMissing(client, ROLES, signal, {
    metadata: { namespace, name },
    rules: [{ apiGroups: [''], resources: [CONFIG_MAPS.resource], resourceNames: [CLUSTER_INFO.name], verbs: ['get'] }],
  });
  await createIfMissing(client, BINDINGS, signal, {
    metadata: { namespace, name },
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: [{ apiGroup, kind: 'User', name: 'system:anonymous' }],
  });
  const data = { [CLUSTER_INFO.kubeconfig]: formatClusterInfoKubeconfig(server, authority) };
  const isCreated = await createIfMissing(client, CONFIG_MAPS, signal, { metadata: { namespace, name: CLUSTER_INFO.name }, data });
  // The port or the authority may have changed since the last start.
  if (!isCreated) await client.of(CONFIG_MAPS).namespace(namespace).patch(CLUSTER_INFO.name, 'merge', { data }, { signal });
}
