/** Which labels of the product's domains a node may give itself. All others might decide what runs on it. */
import { canonicalQualifiedName, isProtectedGroup } from '../../shared/names/dialect';

/** In canonical spelling. */
const OWN: ReadonlySet<string> = new Set([
  ...['hostname', 'os', 'arch', 'instance-type'].map((name) => `platform.io/${name}`),
  ...['os', 'arch', 'instance-type'].map((name) => `beta.platform.io/${name}`),
  ...['zone', 'region'].flatMap((name) => [`topology.platform.io/${name}`, `failure-domain.beta.platform.io/${name}`]),
]);
const OWN_DOMAINS = ['kubelet.platform.io', 'node.platform.io'];

/** The labels of these that a node must not set or change, sorted. */
export function restrictedLabels(labels: Iterable<string>): readonly string[] {
  return [...labels].filter(isRestricted).sort();
}

function isRestricted(label: string): boolean {
  const slash = label.indexOf('/');
  if (slash < 0 || !isProtectedGroup(label.slice(0, slash))) return false;
  const name = canonicalQualifiedName(label);
  const domain = name.slice(0, name.indexOf('/'));
  return !OWN.has(name) && !OWN_DOMAINS.some((own) => domain === own || domain.endsWith(`.${own}`));
}
