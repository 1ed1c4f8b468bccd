/**
 * The filter of nodes for required affinity and anti-affinity between pods. It applies both kinds of terms of the pod
 * itself, and the anti-affinity of the pods that already run. Preferred terms have no effect. The functions are pure.
 */
import type { ClusterView } from './scheduler-cache';
import { finalFailure, preemptableFailure, topologyValue, type NodeFilter } from './node-filter';
import type { NodeState } from './node-state';
import type { AffinityTerm, PodInfo } from './pod-info';

/** A term, and the values of its topology key on nodes with a pod that the term matches. */
interface TermDomains {
  readonly term: AffinityTerm;
  readonly domains: ReadonlySet<string>;
}

/** Searches all pods once; the filter is then cheap for each node. */
export function interPodAffinityFilter(info: PodInfo, view: ClusterView): NodeFilter {
  const avoided = domainsThatAvoid(info, view);
  const affinity = domainsOf(info.affinity, view);
  const antiAffinity = domainsOf(info.antiAffinity, view);
  const hasTerms = info.affinity.length > 0 || info.antiAffinity.length > 0;
  if (avoided.size === 0 && !hasTerms) return () => undefined;
  const namespaceLabels = view.namespaceLabels(info.namespace);
  // The first pod of a group of pods with affinity to each other matches its own terms: no other pod could match them
  // yet. It may run on any node with the topology keys.
  const isFirst = affinity.every(({ domains }) => domains.size === 0) && info.affinity.every((term) => term.matches(info, namespaceLabels));
  return (state) => {
    for (const { term, domains } of affinity) {
      const domain = topologyValue(state, term.topologyKey);
      const isMatch = domain !== undefined && (domains.has(domain) || isFirst);
      if (!isMatch) return finalFailure("node(s) didn't match pod affinity rules");
    }
    for (const { term, domains } of antiAffinity) {
      const domain = topologyValue(state, term.topologyKey);
      if (domain !== undefined && domains.has(domain)) return preemptableFailure("node(s) didn't match pod anti-affinity rules");
    }
    for (const [key, domains] of avoided) {
      const domain = topologyValue(state, key);
      if (domain !== undefined && domains.has(domain))
        return preemptableFailure("node(s) didn't satisfy existing pods anti-affinity rules");
    }
    return undefined;
  };
}

function domainsOf(terms: readonly AffinityTerm[], view: ClusterView): readonly TermDomains[] {
  return terms.map((term) => {
    const domains = new Set<string>();
    for (const state of view.nodes) {
      const domain = topologyValue(state, term.topologyKey);
      if (domain === undefined || domains.has(domain)) continue;
      for (const other of state.pods.values()) {
        if (!term.matches(other, view.namespaceLabels(other.namespace))) continue;
        domains.add(domain);
        break;
      }
    }
    return { term, domains };
  });
}

/** By topology key: the domains of pods that keep this pod away by their anti-affinity. */
function domainsThatAvoid(info: PodInfo, view: ClusterView): ReadonlyMap<string, ReadonlySet<string>> {
  const namespaceLabels = view.namespaceLabels(info.namespace);
  const avoided = new Map<string, Set<string>>();
  const addDomain = (state: NodeState, term: AffinityTerm): void => {
    const domain = topologyValue(state, term.topologyKey);
    if (domain === undefined || !term.matches(info, namespaceLabels)) return;
    const domains = avoided.get(term.topologyKey) ?? new Set();
    avoided.set(term.topologyKey, domains.add(domain));
  };
  for (const state of view.nodes) {
    for (const other of state.antiAffinePods.values()) for (const term of other.antiAffinity) addDomain(state, term);
  }
  return avoided;
}
