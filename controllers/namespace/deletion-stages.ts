/**
 * In which order the content of a namespace goes. Pods come first and alone: what protects them (network policies) and what they still read
 * while they end (ConfigMaps, Secrets) stays until the last of them is gone. Everything else follows together.
 */
import type { ServedResource } from '../../shared/client/rest/discovery';

/** Names of resources of the core group that go before all others, in this order. */
const FIRST: readonly string[] = ['pods'];

/** Stages of resources; a stage begins when the one before has left nothing behind. */
export function deletionStages(resources: readonly ServedResource[]): readonly (readonly ServedResource[])[] {
  const content = resources.filter(
    ({ namespaced, verbs }) => namespaced && verbs.has('list') && (verbs.has('delete') || verbs.has('deletecollection')),
  );
  const stages = FIRST.map((name) => content.filter((resource) => isFirst(resource) && resource.resource === name));
  return [...stages, content.filter((resource) => !isFirst(resource))].filter((stage) => stage.length > 0);
}

function isFirst({ group, resource }: ServedResource): boolean {
  return group === '' && FIRST.includes(resource);
}
