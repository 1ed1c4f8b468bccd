/**
 * The two spellings of a name, for rules: what a rule says of a name holds for both of its spellings. A rule whose names are read once names both
 * ({@link bothSpellings}); a comparison at run time asks {@link isSameName}. Leaves stored and sent objects alone: they keep the spelling in which they came.
 */
import {
  canonicalApiVersion,
  canonicalGroup,
  canonicalNamespace,
  canonicalQualifiedName,
  canonicalUserName,
  GENERATED_NAMES,
  groupIn,
  otherQualifiedName,
  qualifiedNameIn,
} from './dialect';

/** Words that controllers write as values of labels: canonical and upstream. */
const LABEL_VALUES: readonly (readonly [canonical: string, upstream: string])[] = [
  ['endpointslice-controller.platform.io', 'endpointslice-controller.k8s.io'],
  ['endpointslicemirroring-controller.platform.io', 'endpointslicemirroring-controller.k8s.io'],
  ['platform-apiserver', 'kube-apiserver'],
];
const OTHER_VALUE: ReadonlyMap<string, string> = new Map(LABEL_VALUES.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));

/** No name is longer: a service account's user name has 338 characters at most. Expressions compare texts of any length. */
const LONGEST_NAME = 512;
/** Dots in the longest group. */
const MOST_DOTS = 5;
/** By how much the spellings of a name differ in length: `platform` against `kubernetes`, `kube` and `k8s`. */
const LENGTH_DIFFERENCES: ReadonlySet<number> = new Set([2, 4, 5]);
const BEARS_NAME = /platform|kube|k8s/;
const VERSION = /^\/v\d/;
const GROUP_END = /\.(k8s|platform)\.io$/;
const UPSTREAM_DOMAIN = /^((?:[a-z0-9-]+\.)*)kubernetes\.io$/;
const CANONICAL_DOMAIN = /^((?:[a-z0-9-]+\.)*)platform\.io$/;

/**
 * The other spelling of a whole name: a group (`apps` has none), `group/version`, `resource.group`, a qualified name or its domain, a system namespace, or the user
 * or group of its service accounts. `undefined` when the text is spelled alike in both dialects.
 */
export function otherSpelling(text: string): string | undefined {
  if (text.length > LONGEST_NAME || !BEARS_NAME.test(text)) return undefined;
  return otherPlace(text) ?? otherGroup(text) ?? otherQualifiedName(text);
}

/** Whether two texts are one name. */
export function isSameName(a: string, b: string): boolean {
  if (a === b) return true;
  return LENGTH_DIFFERENCES.has(Math.abs(a.length - b.length)) && otherSpelling(a) === b;
}

/** The names, and beside each the other spelling that it has: what a rule names that was written in one of them. */
export function bothSpellings(names: readonly string[]): readonly string[] {
  const others = names.flatMap((name) => otherSpelling(name) ?? []);
  return others.length === 0 ? names : [...new Set([...names, ...others])];
}

/** What `resourceNames` of a rule name: among the resources that they are names of, only Namespaces have names in two spellings. */
export function namesInRule(resources: readonly string[], names: readonly string[]): readonly string[] {
  return names.length > 0 && resources.some((text) => NAMESPACES.test(text)) ? bothSpellings(names) : names;
}

const NAMESPACES = /^(namespaces(\/.*)?|\*.*)$/;

/** The value of a name among labels, annotations or the like, whose keys are as clients sent them. */
export function valueOfName<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(values, name)) return values[name];
  const other = otherQualifiedName(name);
  return other !== undefined && Object.hasOwn(values, other) ? values[other] : undefined;
}

/** The values of other names than these, for a writer that sets its own spelling. */
export function withoutNames<T>(values: Readonly<Record<string, T>>, names: readonly string[]): Readonly<Record<string, T>> {
  const left = new Set(names.map(canonicalQualifiedName));
  return Object.fromEntries(Object.entries(values).filter(([key]) => !left.has(canonicalQualifiedName(key))));
}

/** The values that are the same as `value` under a label key: below a key of the product a value may be a name too (`kubernetes.io/metadata.name`). */
export function spellingsOfLabelValue(key: string, value: string): readonly string[] {
  if (otherQualifiedName(key) === undefined) return [value];
  const other = OTHER_VALUE.get(value) ?? otherSpelling(value);
  return other === undefined ? [value] : [value, other];
}

/** A path of the API with and without the other spelling of its group: `/apis/rbac.authorization.k8s.io/v1`, `/openapi/v3/apis/…`; patterns (`/apis/…/*`) alike. */
export function pathSpellings(path: string): readonly string[] {
  if (!path.includes('/apis/')) return [path];
  const segments = path.split('/');
  const at = segments.indexOf('apis') + 1;
  const group = segments[at] ?? '';
  const other = at > 0 ? otherGroup(group) : undefined;
  return other === undefined ? [path] : [path, segments.with(at, other).join('/')];
}

function otherPlace(text: string): string | undefined {
  for (const names of [GENERATED_NAMES.platform, GENERATED_NAMES.kubernetes]) {
    const other = canonicalUserName(names, canonicalNamespace(names, text));
    if (other !== text) return other;
  }
  return undefined;
}

function otherGroup(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash >= 0) return VERSION.test(text.slice(slash)) ? otherApiVersion(text, slash) : undefined;
  // `leases.coordination.k8s.io`: the group is the part behind one of the dots.
  if (!GROUP_END.test(text)) return otherDomain(text);
  let start = text.length;
  for (let dots = 0; dots <= MOST_DOTS && start > 0; dots += 1) start = text.lastIndexOf('.', start - 2) + 1;
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
  const upstream = groupIn('kubernetes', group);
  return upstream === group ? undefined : upstream + text.slice(slash);
}

function otherWholeGroup(group: string): string | undefined {
  const canonical = canonicalGroup(group);
  if (canonical !== group) return canonical;
  const upstream = groupIn('kubernetes', group);
  return upstream === group ? undefined : upstream;
}

/** `node.kubernetes.io`, as expressions get it by cutting a qualified name. */
function otherDomain(text: string): string | undefined {
  const canonical = text.replace(UPSTREAM_DOMAIN, '$1platform.io');
  if (canonical !== text) return otherWholeGroup(canonical) === undefined ? canonical : undefined;
  const upstream = text.replace(CANONICAL_DOMAIN, '$1kubernetes.io');
  return upstream === text ? undefined : upstream;
}

/** A key of which a map has the other spelling too, with another value. */
export interface SpellingConflict {
  readonly key: string;
  readonly other: string;
  readonly value: string;
}

const CANONICAL = 'platform.io/';

/** What a map of labels or annotations says twice, and not alike: one rule would read the one and another rule the other. */
export function spellingConflicts(map: Readonly<Record<string, unknown>>): readonly SpellingConflict[] {
  let conflicts: SpellingConflict[] | undefined;
  for (const key of Object.keys(map)) {
    // Of two spellings one is canonical; few maps have any.
    if (!key.includes(CANONICAL)) continue;
    const other = qualifiedNameIn('kubernetes', key);
    if (other === key || canonicalQualifiedName(other) !== key || !Object.hasOwn(map, other)) continue;
    const [value, otherValue] = [map[key], map[other]];
    if (typeof value !== 'string' || typeof otherValue !== 'string') continue;
    if (!spellingsOfLabelValue(key, value).includes(otherValue)) (conflicts ??= []).push({ key, other, value });
  }
  return conflicts ?? NONE;
}

const NONE: readonly SpellingConflict[] = [];
