/**
 * Field ownership of what controllers and the API server write: manager, operation, subresource and fields of `managedFields`. Most steps are those of other
 * scenarios, without their other looks. The reference programs must be named `kube-apiserver` and `kube-controller-manager` while this is recorded, because
 * managers are named after the program file. Reference controllers without a counterpart here (`persistentvolume-binder-controller`) are off.
 */
import type { Body } from '../reference';
import { BOOTSTRAP_SIGNER } from './bootstrap-tokens';
import { ACCOUNT_TOKENS } from './account-tokens';
import { AUTOSCALERS } from './autoscalers';
import { CERTIFICATES } from './certificates';
import { CRON_JOBS } from './cron-jobs';
import { DAEMON_SETS } from './daemon-sets';
import { DEPLOYMENTS } from './deployments';
import { DISRUPTION_BUDGETS } from './disruption-budgets';
import { ENDPOINT_SLICES } from './endpoint-slices';
import { GARBAGE } from './garbage';
import { JOBS } from './jobs';
import { MIRRORED_ENDPOINTS } from './mirrored-endpoints';
import { NODES } from './nodes';
import { REPLICA_SETS } from './replica-sets';
import { RESOURCE_QUOTAS } from './resource-quotas';
import { create, patch, remove, type Look, type Scenario } from './scenario';
import { SERVICE_ACCOUNTS } from './service-accounts';
import { STATEFUL_SETS } from './stateful-sets';

const owned = (path: string, names?: readonly string[]): Look => ({
  path,
  members: [],
  owners: true,
  ...(names === undefined ? {} : { names }),
});

/** Scenarios whose controllers write to objects that are not deleted. */
const SOURCES: readonly (readonly [readonly Scenario[], readonly string[]])[] = [
  [ACCOUNT_TOKENS, ['tk-ordinary']],
  [AUTOSCALERS, ['scaler-default', 'scaler-limits']],
  [BOOTSTRAP_SIGNER, ['sg-ordinary']],
  [CERTIFICATES, ['csr-api-client', 'csr-join']],
  [CRON_JOBS, ['cron-life']],
  [DAEMON_SETS, ['daemon-rolling', 'daemon-on-delete']],
  [DEPLOYMENTS, ['deployment-life', 'deployment-paused', 'deployment-claims']],
  [DISRUPTION_BUDGETS, ['budget-evictions']],
  [ENDPOINT_SLICES, ['slice-life', 'slice-headless']],
  [GARBAGE, ['gc-orphan', 'gc-foreground-held']],
  [JOBS, ['job-life', 'job-suspended']],
  [MIRRORED_ENDPOINTS, ['mirror-life']],
  [NODES, ['node-new', 'node-unready', 'taint-seconds']],
  [REPLICA_SETS, ['set-life', 'controller-life']],
  [RESOURCE_QUOTAS, ['quota-unknown']],
  [SERVICE_ACCOUNTS, ['accounts']],
  [STATEFUL_SETS, ['stateful-life', 'stateful-claims']],
];

/** Events have no stable owners, because several are aggregated into one. */
const isStored = ({ path }: Look): boolean => !path.endsWith('events');

const FROM_OTHER_SCENARIOS: readonly Scenario[] = SOURCES.flatMap(([scenarios, names]) =>
  scenarios
    .filter(({ name }) => names.includes(name))
    .map((scenario) => ({
      ...scenario,
      // A timestamp that a controller and the API server both write within a second is owned by the first of them.
      isByAge: true,
      name: `own-${scenario.name}`,
      looks: scenario.looks.filter(isStored).map(({ path, names: some }) => owned(path, some)),
    })),
);

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/clusterroles`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const HELD = { finalizers: ['nobody.example.com/f'] };
const rule = (resource: string): Body => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

const ROLE: Scenario = {
  name: 'own-roles',
  looks: [owned(ROLES)],
  leftovers: [`${ROLES}/$NS-whole`, `${ROLES}/$NS-part`, `${ROLES}/$NS-other`],
  steps: [
    {
      title: 'a role that is made of another one',
      acts: [
        create(ROLES, { metadata: { name: '$NS-part', labels: { of: '$NS' } }, rules: [rule('pods')] }),
        create(ROLES, {
          metadata: { name: '$NS-whole' },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of: '$NS' } }] },
          rules: [rule('secrets')],
        }),
      ],
    },
    { title: 'one more', acts: [create(ROLES, { metadata: { name: '$NS-other', labels: { of: '$NS' } }, rules: [rule('nodes')] })] },
    { title: 'none', acts: [remove(`${ROLES}/$NS-part`), remove(`${ROLES}/$NS-other`)] },
  ],
};

const NAMESPACE: Scenario = {
  name: 'own-namespace',
  looks: [owned('/api/v1/namespaces')],
  steps: [
    { title: 'a namespace', acts: [create('/api/v1/namespaces', { metadata: { name: '$NS-held' } })] },
    {
      title: 'deleted while something holds it',
      acts: [create('/api/v1/namespaces/$NS-held/configmaps', { metadata: { name: 'a', ...HELD } }), remove('/api/v1/namespaces/$NS-held')],
    },
    { title: 'let go', acts: [patch('/api/v1/namespaces/$NS-held/configmaps/a', { metadata: { finalizers: null } })] },
  ],
};

const claim: Body = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' };
const VOLUMES: Scenario = {
  name: 'own-volumes',
  looks: [owned('persistentvolumeclaims'), owned('/api/v1/persistentvolumes')],
  leftovers: ['/api/v1/persistentvolumes/$NS-v'],
  steps: [
    {
      title: 'a claim and a volume',
      acts: [
        create('persistentvolumeclaims', { metadata: { name: 'c', ...HELD }, spec: claim }),
        create('/api/v1/persistentvolumes', {
          metadata: { name: '$NS-v', ...HELD },
          spec: { accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' }, storageClassName: '$NS' },
        }),
      ],
    },
    { title: 'deleted', acts: [remove('persistentvolumeclaims/c'), remove('/api/v1/persistentvolumes/$NS-v')] },
    {
      title: 'let go',
      acts: [
        patch('persistentvolumeclaims/c', { metadata: { finalizers: null } }),
        patch('/api/v1/persistentvolumes/$NS-v', { metadata: { finalizers: null } }),
      ],
    },
  ],
};

const POLICY: Scenario = {
  name: 'own-policies',
  looks: [owned(POLICIES)],
  leftovers: [`${POLICIES}/$NS-p`],
  steps: [
    {
      title: 'a policy whose expression is of the wrong type',
      acts: [
        create(POLICIES, {
          metadata: { name: '$NS-p' },
          spec: {
            matchConstraints: {
              resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
            },
            validations: [{ expression: 'object.spec.replicas == "x"' }],
          },
        }),
      ],
    },
  ],
};

/** Written by the API server itself. */
const SERVED: Scenario = {
  name: 'own-served',
  looks: [owned(DEFINITIONS), owned(SERVICES), owned(`${FLOWS}/flowschemas`)],
  leftovers: [`${DEFINITIONS}/$NS-as.example.com`, `${SERVICES}/$NS.example.org`, `${FLOWS}/flowschemas/$NS-f`],
  steps: [
    {
      title: 'a definition, a group of another server, and a flow schema',
      acts: [
        create(DEFINITIONS, {
          metadata: { name: '$NS-as.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Namespaced',
            names: { plural: '$NS-as', kind: 'A' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        }),
        create(SERVICES, {
          metadata: { name: '$NS.example.org' },
          spec: {
            group: 'example.org',
            version: '$NS',
            groupPriorityMinimum: 1000,
            versionPriority: 15,
            service: { namespace: '$NS', name: 'none' },
            insecureSkipTLSVerify: true,
          },
        }),
        create(`${FLOWS}/flowschemas`, {
          metadata: { name: '$NS-f' },
          spec: { priorityLevelConfiguration: { name: '$NS-none' }, matchingPrecedence: 9000, rules: [] },
        }),
      ],
    },
  ],
};

/** Objects that an API server creates before it is ready, without Leases and addresses, which vary. */
const MADE: Scenario = {
  name: 'own-made',
  looks: [
    owned('/api/v1/namespaces', ['default', 'kube-system', 'kube-public', 'kube-node-lease']),
    owned('/api/v1/namespaces/default/services', ['kubernetes']),
    owned('/api/v1/namespaces/default/endpoints', ['kubernetes']),
    owned('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', ['kubernetes']),
    owned('/api/v1/namespaces/kube-system/configmaps', [
      'extension-apiserver-authentication',
      'kube-apiserver-legacy-service-account-token-tracking',
    ]),
    owned(ROLES, ['admin', 'view', 'system:node']),
    owned(`${RBAC}/clusterrolebindings`, ['cluster-admin', 'system:node']),
    owned(`${RBAC}/namespaces/kube-system/roles`, ['extension-apiserver-authentication-reader']),
    owned(`${RBAC}/namespaces/kube-public/rolebindings`, ['system:controller:bootstrap-signer']),
    owned(`${FLOWS}/flowschemas`, ['exempt', 'catch-all', 'probes', 'service-accounts']),
    owned(`${FLOWS}/prioritylevelconfigurations`, ['exempt', 'catch-all', 'system']),
    owned('/apis/scheduling.k8s.io/v1/priorityclasses', ['system-node-critical']),
    owned(SERVICES, ['v1.', 'v1.apps']),
  ],
  steps: [{ title: 'nothing was done', acts: [] }],
};

export const MANAGERS: readonly Scenario[] = [...FROM_OTHER_SCENARIOS, ROLE, NAMESPACE, VOLUMES, POLICY, SERVED, MADE];
