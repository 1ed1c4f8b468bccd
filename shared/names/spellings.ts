/**
 * Determines whether two texts are spellings of the same name (see dialect.ts), so that a rule in one spelling applies to
 * both. Rules that are read once are expanded with {@link bothSpellings}; comparisons at run time use {@link isSameName}.
 * Objects are not changed: their labels and annotations keep the spelling in which they were sent.
 */
import {
  canonicalApiVersion,
  canonicalGroup,
  canonicalNamespace,
  canonicalQualifiedName,
  canonicalUserName,
  GENERATED_NAMES,
  groupInDialect,
  otherQualifiedName,
  qualifiedNameInDialect,
} from './dialect';

/** Label values that controllers and servers write, and that the rules of {@link otherSpelling} do not translate. */
const LABEL_VALUES: readonly (readonly [canonical: string, upstream: string])[] = [
  ['endpointslice-controller.platform.io', 'endpointslice-controller.k8s.io'],
  ['endpointslicemirroring-controller.platform.io', 'endpointslicemirroring-controller.k8s.io'],
  ['platform-apiserver', 'kube-apiserver'],
];
const OTHER_VALUE: ReadonlyMap<string, string> = new Map(LABEL_VALUES.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));

/**
 * Longer than any name (the user name of a service account has at most 338 characters). Bounds the work for texts of
 * any length in expressions.
 */
const MAX_NAME_LENGTH = 512;
/** At least the number of dots in any group (`pod-security.admission.config.k8s.io` has four). */
const MAX_GROUP_DOTS = 5;
/**
 * Differences in length between the spellings of a name: `platform` is 2 characters shorter than `kubernetes`, 4 longer
 * than `kube` and 5 longer than `k8s`.
 */
const LENGTH_DIFFERENCES: ReadonlySet<number> = new Set([2, 4, 5]);
/** Occurs in every name that has two spellings. */
const PRODUCT_NAME = /platform|kube|k8s/;
/** What follows the group in `group/version`. */
const VERSION = /^\/v\d/;
const GROUP_END = /\.(k8s|platform)\.io$/;
/** `kubernetes.io` or a subdomain, and `platform.io` or a subdomain. */
const UPSTREAM_DOMAIN = /^((?:[a-z0-9-]+\.)*)kubernetes\.io$/;
const CANONICAL_DOMAIN = /^((?:[a-z0-9-]+\.)*)platform\.io$/;

/**
 * The other spelling of a complete name: a group, `group/version`, `resource.group`, a qualified name or its domain, a
 * system namespace, or the user or group of its service accounts. `undefined` when the text has the same spelling in
 * both dialects (`apps`).
 */
export function otherSpelling(text: string): string | undefined {
  if (text.length > MAX_NAME_LENGTH || !PRODUCT_NAME.test(text)) return undefined;
  return otherNamespaceOrUser(text) ?? otherGroup(text) ?? otherQualifiedName(text);
}

/** Whether two texts are equal or spellings of the same name. */
export function isSameName(a: string, b: string): boolean {
  if (a === b) return true;
  return LENGTH_DIFFERENCES.has(Math.abs(a.length - b.length)) && otherSpelling(a) === b;
}

/** The names, followed by the other spellings of those that have two. */
export function bothSpellings(names: readonly string[]): readonly string[] {
  const others = names.flatMap((name) => otherSpelling(name) ?? []);
  return others.length === 0 ? names : [...new Set([...names, ...others])];
}

// A resource of a rule that covers Namespaces or one of their subresources: `namespaces/status`, `*` or `*/status`.
const NAMESPACES = /^(namespaces(\/.*)?|\*.*)$/;

/**
 * The `resourceNames` of a rule, expanded to both spellings when the rule covers Namespaces. The objects of all other
 * resources have one name.
 */
export function ruleNamesInBothSpellings(resources: readonly string[], names: readonly string[]): readonly string[] {
  return names.length > 0 && resources.some((text) => NAMESPACES.test(text)) ? bothSpellings(names) : names;
}

/**
 * The value of a key in labels, annotations or a similar map, which keeps its keys in the spelling in which they were
 * sent: that under the given spelling, otherwise that under the other one. `undefined` when the map has neither.
 */
export function valueInEitherSpelling<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(values, name)) return values[name];
  const other = otherQualifiedName(name);
  return other !== undefined && Object.hasOwn(values, other) ? values[other] : undefined;
}

/** The map without the given keys in either spelling, for a writer that adds them in its own spelling. */
export function omitNames<T>(values: Readonly<Record<string, T>>, names: readonly string[]): Readonly<Record<string, T>> {
  const omitted = new Set(names.map(canonicalQualifiedName));
  return Object.fromEntries(Object.entries(values).filter(([key]) => !omitted.has(canonicalQualifiedName(key))));
}

/**
 * The spellings of a label value, the given one first. Only under a key of the product (`kubernetes.io/metadata.name`) is
 * the value a name that may have two spellings.
 */
export function spellingsOfLabelValue(key: string, value: string): readonly string[] {
  if (otherQualifiedName(key) === undefined) return [value];
  const other = OTHER_VALUE.get(value) ?? otherSpelling(value);
  return other === undefined ? [value] : [value, other];
}

/**
 * An API path (`/apis/rbac.authorization.k8s.io/v1`, `/openapi/v3/apis/…`) or path pattern (`/apis/…/*`) in both
 * spellings of its group.
 */
export function pathSpellings(path: string): readonly string[] {
  if (!path.includes('/apis/')) return [path];
  const segments = path.split('/');
  const at = segments.indexOf('apis') + 1;
  const group = segments[at] ?? '';
  const other = at > 0 ? otherGroup(group) : undefined;
  return other === undefined ? [path] : [path, segments.with(at, other).join('/')];
}

/** The other spelling of a system namespace, or of the user or group of its service accounts; otherwise `undefined`. */
export function otherNamespaceOrUser(text: string): string | undefined {
  for (const names of [GENERATED_NAMES.platform, GENERATED_NAMES.kubernetes]) {
    const other = canonicalUserName(names, canonicalNamespace(names, text));
    if (other !== text) return other;
  }
  return undefined;
}

/** The other spelling of a group, of `group/version`, of `resource.group`, or of the domain of a qualified name. */
function otherGroup(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash >= 0) return VERSION.test(text.slice(slash)) ? otherApiVersion(text, slash) : undefined;
  if (!GROUP_END.test(text)) return otherDomain(text);
  // In `leases.coordination.k8s.io` the group starts after one of the dots: the longest group is looked for first.
  let start = text.length;
  for (let dots = 0; dots <= MAX_GROUP_DOTS && start > 0; dots += 1) start = text.lastIndexOf('.', start - 2) + 1;
  for (; start < text.length; start = text.indexOf('.', start) + 1 || text.length) {
    const other = otherWholeGroup(text.slice(start));
    if (other !== undefined) return text.slice(0, start) + other;
  }
  return otherDomain(text);
}

function otherApiVersion(text: string, slash: number): string | undefined {
  const canonical = canonicalApiVersion(text);
  if (canonical !== text) return canonical;
  const group = text.slice(0, slash);
  const upstream = groupInDialect('kubernetes', group);
  return upstream === group ? undefined : upstream + text.slice(slash);
}

function otherWholeGroup(group: string): string | undefined {
  const canonical = canonicalGroup(group);
  if (canonical !== group) return canonical;
  const upstream = groupInDialect('kubernetes', group);
  return upstream === group ? undefined : upstream;
}

/** The domain of a qualified name (`node.kubernetes.io`), which expressions obtain by splitting the name. */
function otherDomain(text: string): string | undefined {
  const canonical = text.replace(UPSTREAM_DOMAIN, '$1platform.io');
  if (canonical !== text) return otherWholeGroup(canonical) === undefined ? canonical : undefined;
  const upstream = text.replace(CANONICAL_DOMAIN, '$1kubernetes.io');
  return upstream === text ? undefined : upstream;
}

/** A key that a map has in both spellings, with different values. */
export interface SpellingConflict {
  /** The key in canonical spelling, and its value. */
  readonly key: string;
  readonly value: string;
  /** The key in upstream's spelling. */
  readonly other: string;
}

/** What every canonical key with two spellings contains. */
const CANONICAL_DOMAIN_END = 'platform.io/';

const NONE: readonly SpellingConflict[] = [];

/** The spelling conflicts in a map of labels or annotations: with a conflict, two rules could read different values. */
export function spellingConflicts(map: Readonly<Record<string, unknown>>): readonly SpellingConflict[] {
  let conflicts: SpellingConflict[] | undefined;
  for (const key of Object.keys(map)) {
    // One of two spellings is canonical, so only canonical keys are looked up; few maps have any.
    if (!key.includes(CANONICAL_DOMAIN_END)) continue;
    const other = qualifiedNameInDialect('kubernetes', key);
    if (other === key || canonicalQualifiedName(other) !== key || !Object.hasOwn(map, other)) continue;
    const value = map[key];
    const otherValue = map[other];
    if (typeof value !== 'string' || typeof otherValue !== 'string') continue;
    if (!spellingsOfLabelValue(key, value).includes(otherValue)) (conflicts ??= []).push({ key, other, value });
  }
  return conflicts ?? NONE;
}
