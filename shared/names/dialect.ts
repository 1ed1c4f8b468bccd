/**
 * All names that contain the name of the product, in both spellings ("dialects"). `platform` is the canonical spelling:
 * API groups have it in storage, cache and rules. `kubernetes` is the spelling of stock clients. API groups are converted
 * at the edge: those of requests to the canonical spelling, those of responses to the spelling of the request. Labels,
 * annotations and other qualified names are stored as they were sent, and compared by {@link canonicalQualifiedName}.
 *
 * Outside of shared/names an upstream spelling occurs only in what other programs define: Go packages, images, files of
 * kubeadm and of add-ons, groups of metrics, versions in files, texts of messages.
 */

/** A spelling of the names that contain the name of the product. */
export type Dialect = 'platform' | 'kubernetes';

export const DIALECTS: readonly Dialect[] = ['platform', 'kubernetes'];

/**
 * The API groups that have different names in the two dialects, without their domains: `coordination` stands for
 * `coordination.platform.io` and `coordination.k8s.io`. All other groups (core, apps, batch, policy, autoscaling,
 * extensions) are spelled alike.
 */
export const GROUP_STEMS = [
  'admission',
  'admissionregistration',
  'apidiscovery',
  'apiextensions',
  'apiregistration',
  'apiserver.config',
  'audit',
  'authentication',
  'authorization',
  'certificates',
  'client.authentication',
  'coordination',
  'discovery',
  'eventratelimit.admission',
  'events',
  'flowcontrol.apiserver',
  'imagepolicy',
  'internal.apiserver',
  'meta',
  'networking',
  'node',
  'pod-security.admission.config',
  'podtolerationrestriction.admission',
  'rbac.authorization',
  'resource',
  'scheduling',
  'storage',
  'storagemigration',
] as const;

const SUFFIX: Readonly<Record<Dialect, string>> = { platform: '.platform.io', kubernetes: '.k8s.io' };

const TO_CANONICAL_GROUP = new Map(GROUP_STEMS.map((stem) => [stem + SUFFIX.kubernetes, stem + SUFFIX.platform]));
const TO_UPSTREAM_GROUP = new Map(GROUP_STEMS.map((stem) => [stem + SUFFIX.platform, stem + SUFFIX.kubernetes]));

/** The canonical spelling of an API group in either dialect. Groups with one spelling are returned unchanged. */
export function canonicalGroup(group: string): string {
  return TO_CANONICAL_GROUP.get(group) ?? group;
}

/** A canonical group in the given dialect. */
export function groupInDialect(dialect: Dialect, group: string): string {
  return dialect === 'platform' ? group : (TO_UPSTREAM_GROUP.get(group) ?? group);
}

/** The dialect that a group's spelling belongs to; `undefined` for groups that are spelled alike in both. */
export function dialectOfGroup(group: string): Dialect | undefined {
  if (TO_CANONICAL_GROUP.has(group)) return 'kubernetes';
  return TO_UPSTREAM_GROUP.has(group) ? 'platform' : undefined;
}

/** `group/version` (or `version`) with its group in canonical spelling. */
export function canonicalApiVersion(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? apiVersion : canonicalGroup(apiVersion.slice(0, slash)) + apiVersion.slice(slash);
}

/** A canonical `group/version` in the given dialect. */
export function apiVersionInDialect(dialect: Dialect, apiVersion: string): string {
  if (dialect === 'platform') return apiVersion;
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? apiVersion : groupInDialect(dialect, apiVersion.slice(0, slash)) + apiVersion.slice(slash);
}

/** A canonical group that is not part of a longer name; a resource may precede it (`leases.coordination.platform.io`). */
const CANONICAL_GROUP_IN_TEXT = new RegExp(
  `(?<![A-Za-z0-9-])(${GROUP_STEMS.map((stem) => stem.replaceAll('.', '\\.')).join('|')})\\.platform\\.io(?![A-Za-z0-9.-])`,
  'g',
);

/** Replaces canonical group names in a message by their spelling in the given dialect. */
export function messageInDialect(dialect: Dialect, text: string): string {
  return dialect === 'platform' ? text : text.replace(CANONICAL_GROUP_IN_TEXT, `$1${SUFFIX.kubernetes}`);
}

export const JSON_MEDIA_TYPE = 'application/json';
export const YAML_MEDIA_TYPE = 'application/yaml';

/** The media type of protobuf in each dialect. */
export const PROTOBUF_MEDIA_TYPE: Readonly<Record<Dialect, string>> = {
  platform: 'application/vnd.platform.protobuf',
  kubernetes: 'application/vnd.kubernetes.protobuf',
};

/** The names that the server itself generates, in the dialect that the flag `--naming` selects. */
export interface GeneratedNames {
  readonly dialect: Dialect;
  readonly systemNamespace: string;
  readonly publicNamespace: string;
  readonly nodeLeaseNamespace: string;
  /** Prefix of labels, annotations, finalizers and Secret types that the server generates (`platform.io`). */
  readonly prefix: string;
  /** The finalizer in a Namespace's `spec.finalizers`. */
  readonly namespaceFinalizer: string;
  /** The finalizer that holds a CustomResourceDefinition until its resources are deleted. */
  readonly definitionFinalizer: string;
  /** The Service of the API servers in the namespace `default`. */
  readonly defaultService: string;
}

export const GENERATED_NAMES: Readonly<Record<Dialect, GeneratedNames>> = {
  platform: {
    dialect: 'platform',
    systemNamespace: 'platform-system',
    publicNamespace: 'platform-public',
    nodeLeaseNamespace: 'platform-node-lease',
    prefix: 'platform.io',
    namespaceFinalizer: 'platform',
    definitionFinalizer: 'customresourcecleanup.apiextensions.platform.io',
    defaultService: 'platform',
  },
  kubernetes: {
    dialect: 'kubernetes',
    systemNamespace: 'kube-system',
    publicNamespace: 'kube-public',
    nodeLeaseNamespace: 'kube-node-lease',
    prefix: 'kubernetes.io',
    namespaceFinalizer: 'kubernetes',
    definitionFinalizer: 'customresourcecleanup.apiextensions.k8s.io',
    defaultService: 'kubernetes',
  },
};

/**
 * The annotation of a Lease that names a term of another Lease: this Lease is held only while the other one is held in
 * that term.
 */
export const LEASE_WITHIN_ANNOTATION = { platform: 'coordination.platform.io/within', kubernetes: 'coordination.k8s.io/within' } as const;

/** Prefixes of encrypted values in the store. Values are written with that of the generated names, and read with either. */
export const ENCRYPTED_PREFIXES: Readonly<Record<Dialect, string>> = { platform: 'platform:enc:', kubernetes: 'k8s:enc:' };

/**
 * Part of the names of pod annotations that are sent to the image policy webhook, such as
 * `mine.image-policy.k8s.io/ticket`. Both spellings are read.
 */
export const IMAGE_POLICY_ANNOTATION_INFIX: Readonly<Record<Dialect, string>> = {
  platform: '.image-policy.platform.io/',
  kubernetes: '.image-policy.k8s.io/',
};

/** The namespaces that exist on every server, in the order of their creation. */
export function systemNamespaces(names: GeneratedNames): readonly string[] {
  return [names.systemNamespace, names.publicNamespace, names.nodeLeaseNamespace, 'default'];
}

/** A system namespace that a request names in the dialect which is not that of the generated names. */
export interface NamespaceAlias {
  /** The name under which the namespace and its objects are stored. */
  readonly stored: string;
  /** The name in the request, which the response contains too. */
  readonly shown: string;
}

/** The aliases by the name in the request: `kube-system` on a server that generates `platform-system`. */
function namespaceAliases(names: GeneratedNames): ReadonlyMap<string, NamespaceAlias> {
  const other = GENERATED_NAMES[names.dialect === 'platform' ? 'kubernetes' : 'platform'];
  const aliases: NamespaceAlias[] = [
    { shown: other.systemNamespace, stored: names.systemNamespace },
    { shown: other.publicNamespace, stored: names.publicNamespace },
    { shown: other.nodeLeaseNamespace, stored: names.nodeLeaseNamespace },
  ];
  return new Map(aliases.map((alias) => [alias.shown, alias]));
}

const ALIASES: Readonly<Record<Dialect, ReadonlyMap<string, NamespaceAlias>>> = {
  platform: namespaceAliases(GENERATED_NAMES.platform),
  kubernetes: namespaceAliases(GENERATED_NAMES.kubernetes),
};

/**
 * The name under which a namespace is stored. Only a system namespace in the dialect that is not that of `names` is stored
 * under another name than the given one.
 */
export function canonicalNamespace(names: GeneratedNames, namespace: string): string {
  return ALIASES[names.dialect].get(namespace)?.stored ?? namespace;
}

/** The start of the user name of a service account, or of the group of all service accounts of a namespace. */
const SERVICE_ACCOUNT_USER = /^system:serviceaccounts?:/;

/**
 * The canonical name of a user or group. The names of service accounts and of their groups contain that of a namespace,
 * for which {@link canonicalNamespace} applies.
 */
export function canonicalUserName(names: GeneratedNames, name: string): string {
  const [start] = SERVICE_ACCOUNT_USER.exec(name) ?? [];
  if (start === undefined) return name;
  const [namespace = '', ...rest] = name.slice(start.length).split(':');
  return start + [canonicalNamespace(names, namespace), ...rest].join(':');
}

/** The alias that a request uses; `undefined` when the namespace is stored under the given name. */
export function namespaceAlias(names: GeneratedNames, namespace: string): NamespaceAlias | undefined {
  return ALIASES[names.dialect].get(namespace);
}

/** By stored name of a system namespace, a pattern of the name where it is not part of a longer one. */
const STORED_NAME_PATTERN: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.values(ALIASES).flatMap((aliases) =>
    [...aliases.values()].map(({ stored }) => [stored, new RegExp(`(?<![A-Za-z0-9.-])${stored}(?![A-Za-z0-9.-])`, 'g')]),
  ),
);

/** Replaces the stored name of a system namespace in a message by the name in the request; without alias, nothing. */
export function messageWithAlias(alias: NamespaceAlias | undefined, text: string): string {
  const name = alias === undefined ? undefined : STORED_NAME_PATTERN[alias.stored];
  return alias === undefined || name === undefined ? text : text.replace(name, alias.shown);
}

/**
 * The finalizers that need no domain, in `metadata.finalizers` and in `spec.finalizers` of Namespaces. That of Namespaces
 * is valid in both spellings.
 */
export const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'platform', 'kubernetes']);

/** The prefix of a qualified name: `platform.io/` or `node.kubernetes.io/`. */
const PRODUCT_PREFIX = /^((?:[a-z0-9-]+\.)*)(platform|kubernetes)\.io\//;

/** Prefixes of qualified names that upstream spells with `k8s.io` instead of `kubernetes.io`. */
export const K8S_IO_NAME_PREFIXES: readonly (readonly [canonical: string, upstream: string])[] = [
  ['rbac.authorization.platform.io/aggregate-to-', 'rbac.authorization.k8s.io/aggregate-to-'],
  ['flowcontrol.platform.io/v1beta3-', 'flowcontrol.k8s.io/v1beta3-'],
  ['coordination.platform.io/within', 'coordination.k8s.io/within'],
  ['platform.io/initial-events-end', 'k8s.io/initial-events-end'],
];

const K8S_IO = 'k8s.io/';

/**
 * The canonical spelling of a qualified label, annotation or type name (`platform.io/x`, `bootstrap.kubernetes.io/y`).
 * For comparisons only: objects keep their names as they were sent.
 */
export function canonicalQualifiedName(name: string): string {
  if (name.includes(K8S_IO)) {
    for (const [canonicalPrefix, upstreamPrefix] of K8S_IO_NAME_PREFIXES)
      if (name.startsWith(upstreamPrefix)) return canonicalPrefix + name.slice(upstreamPrefix.length);
    return name;
  }
  const canonical = name.replace(PRODUCT_PREFIX, '$1platform.io/');
  // Upstream spells names in K8S_IO_NAME_PREFIXES with `k8s.io`, so such a name with `kubernetes.io` is another name.
  return canonical !== name && spellWithK8sIo(canonical) !== undefined ? name : canonical;
}

/** A canonical qualified name as a dialect spells it. */
export function qualifiedNameInDialect(dialect: Dialect, name: string): string {
  const k8sIoName = dialect === 'kubernetes' ? spellWithK8sIo(name) : undefined;
  return k8sIoName ?? name.replace(PRODUCT_PREFIX, `$1${dialect}.io/`);
}

/** The other dialect's spelling of a qualified name; `undefined` when both dialects spell it alike. */
export function otherQualifiedName(name: string): string | undefined {
  const canonical = canonicalQualifiedName(name);
  if (canonical !== name) return canonical;
  const upstream = qualifiedNameInDialect('kubernetes', name);
  return upstream === name ? undefined : upstream;
}

/** Upstream's spelling of a canonical name with one of {@link K8S_IO_NAME_PREFIXES}; `undefined` for all other names. */
function spellWithK8sIo(canonical: string): string | undefined {
  for (const [canonicalPrefix, upstreamPrefix] of K8S_IO_NAME_PREFIXES)
    if (canonical.startsWith(canonicalPrefix)) return upstreamPrefix + canonical.slice(canonicalPrefix.length);
  return undefined;
}

/** Annotations of older API versions that preserve fields which exist only in newer versions. */
export interface ConversionAnnotations {
  /** Followed by `metrics`, `behavior`, `current-metrics` or `conditions` of a HorizontalPodAutoscaler. */
  readonly autoscalingPrefix: string;
  /** Marks the zero shares of a PriorityLevelConfiguration as explicit. */
  readonly zeroShares: string;
}

export const CONVERSION_ANNOTATIONS: Readonly<Record<Dialect, ConversionAnnotations>> = {
  platform: {
    autoscalingPrefix: 'autoscaling.alpha.platform.io/',
    zeroShares: 'flowcontrol.platform.io/v1beta3-preserve-zero-concurrency-shares',
  },
  kubernetes: {
    autoscalingPrefix: 'autoscaling.alpha.kubernetes.io/',
    zeroShares: 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares',
  },
};

/** The API group of volume snapshots, in both spellings. It is an extension that PersistentVolumeClaims may refer to. */
export const SNAPSHOT_GROUPS: ReadonlySet<string> = new Set(['snapshot.storage.platform.io', 'snapshot.storage.k8s.io']);

/** The annotation of the bookmark that ends the initial events of a watch (`sendInitialEvents`). */
export const INITIAL_EVENTS_END: Readonly<Record<Dialect, string>> = {
  platform: 'platform.io/initial-events-end',
  kubernetes: 'k8s.io/initial-events-end',
};

/** Response headers with the uids of the FlowSchema and PriorityLevelConfiguration of a request. */
export interface FlowHeaders {
  readonly schema: string;
  readonly level: string;
}

export const FLOW_HEADERS: Readonly<Record<Dialect, FlowHeaders>> = {
  platform: { schema: 'X-Platform-Pf-Flowschema-Uid', level: 'X-Platform-Pf-Prioritylevel-Uid' },
  kubernetes: { schema: 'X-Kubernetes-Pf-Flowschema-Uid', level: 'X-Kubernetes-Pf-Prioritylevel-Uid' },
};

/** The start of the extensions of JSON schemas, which are stored in upstream's spelling. */
const SCHEMA_EXTENSION = /^x-kubernetes-/;

/**
 * The neutral spelling of a schema member: `x-kubernetes-validations` → `x-platform-validations`. `undefined` when the
 * member has only one spelling. Both spellings are read; upstream's is stored and sent.
 */
export function neutralSchemaMember(member: string): string | undefined {
  return SCHEMA_EXTENSION.test(member) ? member.replace(SCHEMA_EXTENSION, 'x-platform-') : undefined;
}

/**
 * The annotation with the API review of a CustomResourceDefinition in a protected group (both spellings are read), and
 * the link in messages about it.
 */
export const API_APPROVAL = {
  annotations: ['api-approved.kubernetes.io', 'api-approved.platform.io'],
  link: 'https://github.com/kubernetes/enhancements/pull/1111',
} as const;

/** `k8s.io`, `kubernetes.io`, `platform.io` and their subdomains. */
const PROTECTED_GROUP = /(^|\.)(k8s|kubernetes|platform)\.io$/;

/**
 * Whether a domain belongs to the product: a CustomResourceDefinition in such a group needs {@link API_APPROVAL}, and
 * label prefixes of such domains are reserved.
 */
export function isProtectedGroup(group: string): boolean {
  return PROTECTED_GROUP.test(group);
}

/** A group without the domain of the product: `rbac.authorization.k8s.io` → `rbac.authorization`. */
export function groupStem(group: string): string {
  return group.replace(/\.(k8s|platform)\.io$/, '');
}

/** Upstream's message about a key with a prefix for which {@link isProtectedGroup} is true. */
export const RESERVED_DOMAINS_MESSAGE = 'kubernetes.io and k8s.io namespaces are reserved';

/** The annotation in which kubectl keeps the configuration of the last client-side apply. */
export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The prefix of the names of published schemas. */
export const OPENAPI_NAME_PREFIX: Readonly<Record<Dialect, string>> = { platform: 'io.platform', kubernetes: 'io.k8s' };

/**
 * The User-Agent header of requests to webhooks. Logs and proxies of webhooks identify the API server by upstream's
 * value.
 */
export const WEBHOOK_USER_AGENT = 'kube-apiserver-admission';

/** The Kubernetes version that this server implements, in the form that stock clients parse. */
export const RELEASE = { major: '1', minor: '31', gitVersion: 'v1.31.1' } as const;

/** The output of `--version=FORMAT`; stock tools parse the number in it. `naming` is the value of `--naming`. */
export function versionText(format: 'true' | 'raw', naming: unknown): string {
  if (format === 'raw') return JSON.stringify(RELEASE);
  return `${naming === 'kubernetes' ? 'Kubernetes' : 'Platform'} ${RELEASE.gitVersion}`;
}
