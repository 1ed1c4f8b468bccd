/**
 * The default roles of release 1.31 and their bindings, as in upstream's policy.go and namespace_policy.go. Names are in
 * canonical spelling. The rules of controllers are in controller-policy.ts.
 *
 * A rule is a line of words, in two to four parts; `core` is the group without a name:
 * - verbs, groups, resources: `get list | core apps | pods replicasets`
 * - with resource names: `get update | core | configmaps | kube-scheduler`
 * - verbs and paths: `get | /healthz /version`
 */

/** A role; a ClusterRole unless it has a namespace. */
export interface RoleRow {
  readonly name: string;
  /** Lines as described above. */
  readonly rules: readonly string[];
  /** The role into which these rules are aggregated. */
  readonly aggregatesTo?: 'admin' | 'edit' | 'view';
}

/** Roles that aggregate the rules of other roles. */
export const AGGREGATED_CLUSTER_ROLES: readonly Omit<RoleRow, 'rules'>[] = [
  { name: 'admin' },
  { name: 'edit', aggregatesTo: 'admin' },
  { name: 'view', aggregatesTo: 'edit' },
];

/** The namespace of a role: the system namespace or the public one. */
export type SystemNamespace = 'system' | 'public';

/** A Role. */
export interface NamespacedRoleRow extends RoleRow {
  readonly namespace: SystemNamespace;
}

/** A binding; a ClusterRoleBinding unless it has a namespace. */
export interface BindingRow {
  readonly name: string;
  /** Absent: the role with the name of the binding. */
  readonly role?: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  /** Names of ServiceAccounts in the system namespace. */
  readonly accounts?: readonly string[];
}

/** A RoleBinding. */
export interface NamespacedBindingRow extends BindingRow {
  readonly namespace: SystemNamespace;
}

/** ClusterRoles with rules of their own. */
export const CLUSTER_ROLES: readonly RoleRow[] = [
  {
    name: 'cluster-admin',
    rules: ['* | * | *', '* | *'],
  },
  {
    name: 'system:aggregate-to-admin',
    aggregatesTo: 'admin',
    rules: [
      'create | authorization.platform.io | localsubjectaccessreviews',
      'create delete deletecollection get list patch update watch | rbac.authorization.platform.io | rolebindings roles',
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    aggregatesTo: 'edit',
    rules: [
      'get list watch | core | pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy',
      'impersonate | core | serviceaccounts',
      'create delete deletecollection patch update | core | pods pods/attach pods/exec pods/portforward pods/proxy',
      'create | core | pods/eviction',
      'create delete deletecollection patch update | core | configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      'create | core | serviceaccounts/token',
      'create delete deletecollection patch update | apps | daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      'create delete deletecollection patch update | autoscaling | horizontalpodautoscalers',
      'create delete deletecollection patch update | batch | cronjobs jobs',
      'create delete deletecollection patch update | extensions | daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      'create delete deletecollection patch update | policy | poddisruptionbudgets',
      'create delete deletecollection patch update | networking.platform.io | ingresses networkpolicies',
      'create delete deletecollection get list patch update watch | coordination.platform.io | leases',
    ],
  },
  {
    name: 'system:aggregate-to-view',
    aggregatesTo: 'view',
    rules: [
      'get list watch | core | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      'get list watch | core | bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      'get list watch | core | namespaces',
      'get list watch | discovery.platform.io | endpointslices',
      'get list watch | apps | controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      'get list watch | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status',
      'get list watch | batch | cronjobs cronjobs/status jobs jobs/status',
      'get list watch | extensions | daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      'get list watch | policy | poddisruptionbudgets poddisruptionbudgets/status',
      'get list watch | networking.platform.io | ingresses ingresses/status networkpolicies',
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: ['create | authentication.platform.io | tokenreviews', 'create | authorization.platform.io | subjectaccessreviews'],
  },
  {
    name: 'system:basic-user',
    rules: [
      'create | authorization.platform.io | selfsubjectaccessreviews selfsubjectrulesreviews',
      'create | authentication.platform.io | selfsubjectreviews',
    ],
  },
  {
    name: 'system:certificates.platform.io:certificatesigningrequests:nodeclient',
    rules: ['create | certificates.platform.io | certificatesigningrequests/nodeclient'],
  },
  {
    name: 'system:certificates.platform.io:certificatesigningrequests:selfnodeclient',
    rules: ['create | certificates.platform.io | certificatesigningrequests/selfnodeclient'],
  },
  {
    name: 'system:certificates.platform.io:kube-apiserver-client-approver',
    rules: ['approve | certificates.platform.io | signers | platform.io/kube-apiserver-client'],
  },
  {
    name: 'system:certificates.platform.io:kube-apiserver-client-kubelet-approver',
    rules: ['approve | certificates.platform.io | signers | platform.io/kube-apiserver-client-kubelet'],
  },
  {
    name: 'system:certificates.platform.io:kubelet-serving-approver',
    rules: ['approve | certificates.platform.io | signers | platform.io/kubelet-serving'],
  },
  {
    name: 'system:certificates.platform.io:legacy-unknown-approver',
    rules: ['approve | certificates.platform.io | signers | platform.io/legacy-unknown'],
  },
  {
    name: 'system:discovery',
    rules: ['get | /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'],
  },
  {
    name: 'system:heapster',
    rules: ['get list watch | core | events namespaces nodes pods', 'get list watch | extensions | deployments'],
  },
  {
    name: 'system:kube-aggregator',
    rules: ['get list watch | core | endpoints services'],
  },
  {
    name: 'system:kube-controller-manager',
    rules: [
      'create patch update | core events.platform.io | events',
      'create | coordination.platform.io | leases',
      'get update | coordination.platform.io | leases | kube-controller-manager',
      'create | core | secrets serviceaccounts',
      'delete | core | secrets',
      'get | core | configmaps namespaces secrets serviceaccounts',
      'update | core | secrets serviceaccounts',
      'create | authentication.platform.io | tokenreviews',
      'create | authorization.platform.io | subjectaccessreviews',
      'list watch | * | *',
      'create | core | serviceaccounts/token',
    ],
  },
  {
    name: 'system:kube-dns',
    rules: ['list watch | core | endpoints services'],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      'create patch update | core events.platform.io | events',
      'create | coordination.platform.io | leases',
      'get list update watch | coordination.platform.io | leases | kube-scheduler',
      'create delete deletecollection get list patch update watch | coordination.platform.io | leasecandidates',
      'get list watch | core | nodes',
      'delete get list watch | core | pods',
      'create | core | bindings pods/binding',
      'patch update | core | pods/status',
      'get list watch | core | replicationcontrollers services',
      'get list watch | apps extensions | replicasets',
      'get list watch | apps | statefulsets',
      'get list watch | policy | poddisruptionbudgets',
      'get list watch | core | persistentvolumeclaims persistentvolumes',
      'create | authentication.platform.io | tokenreviews',
      'create | authorization.platform.io | subjectaccessreviews',
      'get list watch | storage.platform.io | csinodes',
      'get list watch | core | namespaces',
      'get list watch | storage.platform.io | csidrivers',
      'get list watch | storage.platform.io | csistoragecapacities',
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: ['get list watch | core | nodes', 'proxy | core | nodes', '* | core | nodes/log nodes/metrics nodes/proxy nodes/stats'],
  },
  {
    name: 'system:monitoring',
    rules: ['get | /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'],
  },
  {
    name: 'system:node',
    rules: [
      'create | authentication.platform.io | tokenreviews',
      'create | authorization.platform.io | localsubjectaccessreviews subjectaccessreviews',
      'get list watch | core | services',
      'create get list watch | core | nodes',
      'patch update | core | nodes/status',
      'patch update | core | nodes',
      'create patch update | core | events',
      'get list watch | core | pods',
      'create delete | core | pods',
      'patch update | core | pods/status',
      'create | core | pods/eviction',
      'get list watch | core | configmaps secrets',
      'get | core | persistentvolumeclaims persistentvolumes',
      'get | core | endpoints',
      'create get list watch | certificates.platform.io | certificatesigningrequests',
      'create delete get patch update | coordination.platform.io | leases',
      'get | storage.platform.io | volumeattachments',
      'create | core | serviceaccounts/token',
      'get patch update | core | persistentvolumeclaims/status',
      'get list watch | storage.platform.io | csidrivers',
      'create delete get patch update | storage.platform.io | csinodes',
      'get list watch | node.platform.io | runtimeclasses',
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: ['create get list watch | certificates.platform.io | certificatesigningrequests'],
  },
  {
    name: 'system:node-problem-detector',
    rules: ['get | core | nodes', 'patch | core | nodes/status', 'create patch update | core events.platform.io | events'],
  },
  {
    name: 'system:node-proxier',
    rules: [
      'list watch | core | endpoints services',
      'get list watch | core | nodes',
      'create patch update | core events.platform.io | events',
      'list watch | discovery.platform.io | endpointslices',
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      'create delete get list watch | core | persistentvolumes',
      'get list update watch | core | persistentvolumeclaims',
      'get list watch | storage.platform.io | storageclasses',
      'watch | core | events',
      'create patch update | core events.platform.io | events',
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: ['get | /healthz /livez /readyz /version /version/'],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: ['get | /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      'get list patch update watch | core | persistentvolumes',
      'get list watch | storage.platform.io | storageclasses',
      'get list patch update watch | core | persistentvolumeclaims',
    ],
  },
];

/** ClusterRoleBindings. */
export const CLUSTER_BINDINGS: readonly BindingRow[] = [
  { name: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:kube-controller-manager', users: ['system:kube-controller-manager'] },
  { name: 'system:kube-dns', accounts: ['kube-dns'] },
  { name: 'system:kube-scheduler', users: ['system:kube-scheduler'] },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
  { name: 'system:node' },
  { name: 'system:node-proxier', users: ['system:kube-proxy'] },
  { name: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
  { name: 'system:service-account-issuer-discovery', groups: ['system:serviceaccounts'] },
  { name: 'system:volume-scheduler', users: ['system:kube-scheduler'] },
];

/** Roles in the system namespaces. */
export const ROLES: readonly NamespacedRoleRow[] = [
  {
    namespace: 'public',
    name: 'system:controller:bootstrap-signer',
    rules: [
      'get list watch | core | configmaps',
      'update | core | configmaps | cluster-info',
      'create patch update | core events.platform.io | events',
    ],
  },
  {
    namespace: 'system',
    name: 'extension-apiserver-authentication-reader',
    rules: ['get list watch | core | configmaps | extension-apiserver-authentication'],
  },
  {
    namespace: 'system',
    name: 'system::leader-locking-kube-controller-manager',
    rules: [
      'watch | core | configmaps',
      'get update | core | configmaps | kube-controller-manager',
      'create get list update watch | coordination.platform.io | leases',
      'create get list update watch | coordination.platform.io | leasecandidates',
    ],
  },
  {
    namespace: 'system',
    name: 'system::leader-locking-kube-scheduler',
    rules: [
      'watch | core | configmaps',
      'get update | core | configmaps | kube-scheduler',
      'create get list update watch | coordination.platform.io | leases',
      'create get list update watch | coordination.platform.io | leasecandidates',
    ],
  },
  {
    namespace: 'system',
    name: 'system:controller:bootstrap-signer',
    rules: ['get list watch | core | secrets'],
  },
  {
    namespace: 'system',
    name: 'system:controller:cloud-provider',
    rules: ['create get list watch | core | configmaps'],
  },
  {
    namespace: 'system',
    name: 'system:controller:token-cleaner',
    rules: ['delete get list watch | core | secrets', 'create patch update | core events.platform.io | events'],
  },
];

/** RoleBindings in the system namespaces. */
export const BINDINGS: readonly NamespacedBindingRow[] = [
  { namespace: 'public', name: 'system:controller:bootstrap-signer', accounts: ['bootstrap-signer'] },
  {
    namespace: 'system',
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    users: ['system:kube-controller-manager', 'system:kube-scheduler'],
  },
  {
    namespace: 'system',
    name: 'system::leader-locking-kube-controller-manager',
    users: ['system:kube-controller-manager'],
    accounts: ['kube-controller-manager', 'leader-election-controller'],
  },
  { namespace: 'system', name: 'system::leader-locking-kube-scheduler', users: ['system:kube-scheduler'], accounts: ['kube-scheduler'] },
  { namespace: 'system', name: 'system:controller:bootstrap-signer', accounts: ['bootstrap-signer'] },
  { namespace: 'system', name: 'system:controller:cloud-provider', accounts: ['cloud-provider'] },
  { namespace: 'system', name: 'system:controller:token-cleaner', accounts: ['token-cleaner'] },
];
