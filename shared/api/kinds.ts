/**
 * The kind table: what is served, under which names, with which general rules. A kind is a row; behaviour follows from it.
 * Field structure lies in the generated type tables that `type` refers to; what no table can say is in the kind's strategy
 * (apiserver/registry/strategies). Never holds code.
 */

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export interface SubresourceRow {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of its body when it is not the resource's own. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** How an object's name is checked. */
export type NameFormat = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment';

export interface SelectableField {
  /** As in `fieldSelector`: `status.phase`. */
  readonly name: string;
  /** Where the value is found, in dots; a list or absent value counts as the empty string unless `absent` says otherwise. */
  readonly path: string;
  readonly absent?: string;
}

export interface KindRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Name in the type tables. */
  readonly type: string;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources?: readonly SubresourceRow[];
  /** Key segment in the store when it is not the resource's name. */
  readonly segment?: string;
  readonly nameFormat: NameFormat;
  /** Sets `metadata.generation` to 1 at first and counts changes of the spec. */
  readonly countsGeneration?: true;
  /** PUT and patches without resourceVersion are refused. */
  readonly requiresResourceVersion?: true;
  /** PUT of a missing name creates it. */
  readonly createOnUpdate?: true;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeletedObject?: true;
  /** Never takes the garbage collector's finalizers. */
  readonly noGarbageCollection?: true;
  /** Fields that selectors may use besides metadata.name and metadata.namespace; their values stand in the stored header. */
  readonly selectableFields?: readonly SelectableField[];
  /** An unsupported field selector is answered with "field label not supported". */
  readonly ownFieldLabels?: true;
  /** Seconds after which a stored object expires, counted from its last write. */
  readonly expires?: true;
}

const ALL: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS: SubresourceRow = { name: 'status', verbs: ['get', 'patch', 'update'] };
const same = (...names: string[]): readonly SelectableField[] => names.map((name) => ({ name, path: name }));

export const KINDS: readonly KindRow[] = [
  {
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    type: 'core.v1.ConfigMap',
    resource: 'configmaps',
    singular: 'configmap',
    shortNames: ['cm'],
    namespaced: true,
    verbs: ALL,
    nameFormat: 'dns-subdomain',
  },
  {
    group: '',
    version: 'v1',
    kind: 'Event',
    type: 'core.v1.Event',
    resource: 'events',
    singular: 'event',
    shortNames: ['ev'],
    namespaced: true,
    verbs: ALL,
    nameFormat: 'path-segment',
    createOnUpdate: true,
    noGarbageCollection: true,
    ownFieldLabels: true,
    expires: true,
    selectableFields: [
      ...same(
        'involvedObject.kind',
        'involvedObject.namespace',
        'involvedObject.name',
        'involvedObject.uid',
        'involvedObject.apiVersion',
        'involvedObject.resourceVersion',
        'involvedObject.fieldPath',
        'reason',
        'reportingComponent',
      ),
      { name: 'source', path: 'source.component' },
      { name: 'type', path: 'type' },
    ],
  },
  {
    group: '',
    version: 'v1',
    kind: 'Namespace',
    type: 'core.v1.Namespace',
    resource: 'namespaces',
    singular: 'namespace',
    shortNames: ['ns'],
    namespaced: false,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [{ name: 'finalize', verbs: ['update'] }, STATUS],
    nameFormat: 'dns-label',
    returnsDeletedObject: true,
    ownFieldLabels: true,
    selectableFields: same('status.phase'),
  },
  {
    group: '',
    version: 'v1',
    kind: 'Node',
    type: 'core.v1.Node',
    resource: 'nodes',
    singular: 'node',
    shortNames: ['no'],
    namespaced: false,
    verbs: ALL,
    subresources: [STATUS],
    segment: 'minions',
    nameFormat: 'dns-subdomain',
    ownFieldLabels: true,
    selectableFields: [{ name: 'spec.unschedulable', path: 'spec.unschedulable', absent: 'false' }],
  },
  {
    group: '',
    version: 'v1',
    kind: 'Pod',
    type: 'core.v1.Pod',
    resource: 'pods',
    singular: 'pod',
    shortNames: ['po'],
    categories: ['all'],
    namespaced: true,
    verbs: ALL,
    subresources: [STATUS],
    nameFormat: 'dns-subdomain',
    returnsDeletedObject: true,
    ownFieldLabels: true,
    selectableFields: [
      ...same('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
      { name: 'spec.hostNetwork', path: 'spec.hostNetwork', absent: 'false' },
      ...same('status.phase', 'status.podIP', 'status.nominatedNodeName'),
    ],
  },
  {
    group: '',
    version: 'v1',
    kind: 'Secret',
    type: 'core.v1.Secret',
    resource: 'secrets',
    singular: 'secret',
    namespaced: true,
    verbs: ALL,
    nameFormat: 'dns-subdomain',
    ownFieldLabels: true,
    selectableFields: same('type'),
  },
  {
    group: '',
    version: 'v1',
    kind: 'ServiceAccount',
    type: 'core.v1.ServiceAccount',
    resource: 'serviceaccounts',
    singular: 'serviceaccount',
    shortNames: ['sa'],
    namespaced: true,
    verbs: ALL,
    nameFormat: 'dns-subdomain',
    returnsDeletedObject: true,
  },
  {
    group: '',
    version: 'v1',
    kind: 'Service',
    type: 'core.v1.Service',
    resource: 'services',
    singular: 'service',
    shortNames: ['svc'],
    categories: ['all'],
    namespaced: true,
    verbs: ALL,
    subresources: [STATUS],
    segment: 'services/specs',
    nameFormat: 'dns-1035-label',
    createOnUpdate: true,
    returnsDeletedObject: true,
    ownFieldLabels: true,
    selectableFields: same('spec.clusterIP', 'spec.type'),
  },
  {
    group: 'coordination.platform.io',
    version: 'v1',
    kind: 'Lease',
    type: 'coordination.v1.Lease',
    resource: 'leases',
    singular: 'lease',
    namespaced: true,
    verbs: ALL,
    nameFormat: 'dns-subdomain',
    requiresResourceVersion: true,
    createOnUpdate: true,
  },
];
