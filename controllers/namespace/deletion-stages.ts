/**
 * The order in which the content of a namespace is deleted: pods first and alone, because what protects them
 * (NetworkPolicies) and what they read while they terminate (ConfigMaps, Secrets) must exist until the last pod is
 * deleted. The order is that of upstream's feature gate OrderedNamespaceDeletion.
 */
import type { ServedResource } from '../../shared/client/rest/discovery';

/** Resources of the core group that precede all others, in this order. */
const FIRST_RESOURCES: readonly string[] = ['pods'];

/**
 * The resources of each stage, which starts when nothing of the stages before remains. Resources that are
 * cluster-scoped or cannot be listed and deleted are left out.
 */
export function deletionStages(resources: readonly ServedResource[]): readonly (readonly ServedResource[])[] {
  const deletable = resources.filter(
    ({ namespaced, verbs }) => namespaced && verbs.has('list') && (verbs.has('delete') || verbs.has('deletecollection')),
  );
  const firstStages = FIRST_RESOURCES.map((name) => deletable.filter((resource) => isFirst(resource) && resource.resource === name));
  return [...firstStages, deletable.filter((resource) => !isFirst(resource))].filter((stage) => stage.length > 0);
}

function isFirst({ group, resource }: ServedResource): boolean {
  return group === '' && FIRST_RESOURCES.includes(resource);
}
