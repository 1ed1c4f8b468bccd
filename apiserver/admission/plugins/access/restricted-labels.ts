/**
 * Determines which labels in the product's domains a node must not set on itself: such labels decide
 * which pods are scheduled to it. Labels outside these domains are not restricted.
 */
import { canonicalQualifiedName, isProtectedGroup } from '../../../../shared/names/dialect';

/** Labels in the product's domains that a node may set on itself, in canonical spelling. */
const SELF_SETTABLE_LABELS: ReadonlySet<string> = new Set([
  ...['hostname', 'os', 'arch', 'instance-type'].map((name) => `platform.io/${name}`),
  ...['os', 'arch', 'instance-type'].map((name) => `beta.platform.io/${name}`),
  ...['zone', 'region'].flatMap((name) => [`topology.platform.io/${name}`, `failure-domain.beta.platform.io/${name}`]),
]);
/** Domains of which a node may set every label, and those of their subdomains. */
const SELF_SETTABLE_DOMAINS = ['kubelet.platform.io', 'node.platform.io'];

/** Those of the given labels that a node must not set or change, sorted. */
export function restrictedLabels(labels: Iterable<string>): readonly string[] {
  return [...labels].filter(isRestricted).sort();
}

function isRestricted(label: string): boolean {
  const slash = label.indexOf('/');
  if (slash < 0 || !isProtectedGroup(label.slice(0, slash))) return false;
  const name = canonicalQualifiedName(label);
  const domain = name.slice(0, name.indexOf('/'));
  const isInSettableDomain = SELF_SETTABLE_DOMAINS.some((settable) => domain === settable || domain.endsWith(`.${settable}`));
  return !SELF_SETTABLE_LABELS.has(name) && !isInSettableDomain;
}
