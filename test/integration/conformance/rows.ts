/**
 * Upstream's conformance tests of release 1.31 about workloads and admission, and what here shows the same. Data only: conformance.test.ts holds it to the tests that there
 * are. Names of upstream's tests are given as facts, without the `[sig-…]` before and the marks behind them.
 */
export interface ConformanceRow {
  readonly sig: 'api-machinery' | 'apps' | 'auth' | 'instrumentation' | 'node' | 'scheduling';
  /** The beginning of upstream's names, which the rows below it share. */
  readonly area: string;
  /** The rest of upstream's name. */
  readonly upstream: string;
  /** In our words. */
  readonly shows: string;
  /** File and title of each test that shows a part of it. */
  readonly by: readonly Evidence[];
  /** What of it nothing here can show, and why. */
  readonly lacks?: string;
}

export type Evidence = readonly [file: string, ...titles: string[]];

type Line = readonly [upstream: string, shows: string, ...by: Evidence[]];

const HTTP = 'test/integration/http';
const CONTROLLERS = 'test/integration/controllers';
const life = (name: string): Evidence => [`${HTTP}/lifecycles.test.ts`, name];
const recordedHooks = (...titles: string[]): Evidence => [`${HTTP}/admission-webhooks.test.ts`, ...titles];
const hooks = (...titles: string[]): Evidence => [`${HTTP}/webhook-scenarios.test.ts`, ...titles];
const policies = (...titles: string[]): Evidence => [`${HTTP}/admission-policies.test.ts`, ...titles];
const suite = (name: string): Evidence => [`${HTTP}/admission.test.ts`, name];
const played = (recording: string, ...scenarios: string[]): Evidence => [`${CONTROLLERS}/${recording}.test.ts`, ...scenarios];
const extra = (...scenarios: string[]): Evidence => played('conformance', ...scenarios);
const quota = (...titles: string[]): Evidence => ['apiserver/admission/quota/charge.test.ts', ...titles];

const area = (sig: ConformanceRow['sig'], name: string, ...lines: readonly Line[]): readonly ConformanceRow[] =>
  lines.map(([upstream, shows, ...by]) => ({
    sig,
    area: name,
    upstream,
    shows,
    by,
    ...(LACKS[upstream] === undefined ? {} : { lacks: LACKS[upstream] }),
  }));

const CONTAINERS = 'that a container runs and answers: there is no kubelet here';
const SCHEDULER = 'that a scheduler places it: there is none here';
const MOUNTED = 'that a container reads the files: there is no kubelet here';

const LACKS: Readonly<Record<string, string>> = {
  'should serve a basic image on each replica with a public image': CONTAINERS,
  'should run a job to completion when tasks sometimes fail and are locally restarted': CONTAINERS,
  'should schedule a Pod requesting a RuntimeClass and initialize its Overhead': SCHEDULER,
  'should schedule a Pod requesting a RuntimeClass without PodOverhead': SCHEDULER,
  'should mount an API token into pods': MOUNTED,
  'should mount projected service account token': MOUNTED,
  'should allow opting out of API token automount': MOUNTED,
};

const WEBHOOKS = area(
  'api-machinery',
  'AdmissionWebhook',
  [
    'listing mutating webhooks should work',
    'many that change, listed and deleted by label',
    hooks('ten %s webhook configurations are listed and deleted by their label'),
  ],
  [
    'listing validating webhooks should work',
    'many that refuse, listed and deleted by label',
    hooks('ten %s webhook configurations are listed and deleted by their label'),
  ],
  [
    'patching/updating a mutating webhook should work',
    'one that changes, changed itself',
    hooks('a %s webhook configuration that is replaced and patched applies as it is now'),
  ],
  [
    'patching/updating a validating webhook should work',
    'one that refuses, changed itself',
    hooks('a %s webhook configuration that is replaced and patched applies as it is now'),
  ],
  [
    'should be able to create and update mutating webhook configurations with match conditions',
    'conditions are kept and replaced',
    life('mutating-webhook'),
  ],
  [
    'should be able to create and update validating webhook configurations with match conditions',
    'conditions are kept and replaced',
    life('validating-webhook'),
  ],
  ['should be able to deny attaching pod', 'a connection to a pod is refused', recordedHooks('match: a connection is refused')],
  [
    'should be able to deny custom resource creation, update and deletion',
    'custom objects are refused in all they undergo',
    hooks('a webhook denies the creation, change and deletion of custom objects'),
  ],
  [
    'should be able to deny pod and configmap creation',
    'refusals at creation and change, hanging ones, and namespaces that are let alone',
    recordedHooks(
      'match: a pod',
      'validating: deny-message',
      'create, update, patch, apply, delete',
      'validating, no answer in time: Fail',
      'match: its namespace has no such label',
    ),
  ],
  ['should deny crd creation', 'definitions are refused', hooks('a webhook denies the creation of definitions')],
  [
    'should honor timeout',
    'time out by the limit and the failure policy',
    recordedHooks(
      'mutating, no answer in time: Fail',
      'validating, no answer in time: Fail',
      'mutating, no answer in time: Ignore',
      'validating, no answer in time: Ignore',
    ),
  ],
  ['should include webhook resources in discovery documents', 'discovery names the kinds', ['apiserver/discovery/discovery.test.ts']],
  ['should mutate configmap', 'one builds on what another has added', recordedHooks('stages in order')],
  [
    'should mutate custom resource',
    'custom objects are changed',
    hooks('a webhook that changes custom objects is shown the version of its rule'),
  ],
  [
    'should mutate custom resource with different stored version',
    'and after another version is stored',
    hooks('a webhook changes custom objects after another version is stored'),
  ],
  [
    'should mutate custom resource with pruning',
    'what a schema does not know is not added',
    hooks('a field that a webhook adds is pruned when the schema does not know it'),
  ],
  [
    "should mutate everything except 'skip-me' configmaps",
    'a condition on the name',
    recordedHooks('condition: of the object', 'condition: false'),
  ],
  [
    'should mutate pod and apply defaults after mutation',
    'what is added to a pod gets its defaults',
    hooks('a container that a webhook adds to a pod gets its defaults'),
  ],
  [
    'should not be able to mutate or prevent deletion of webhook configuration objects',
    'configurations are beyond their reach',
    hooks('webhooks neither change webhook configurations nor prevent their deletion'),
    recordedHooks('match: webhook configurations'),
  ],
  [
    'should reject mutating webhook configurations with invalid match conditions',
    'conditions are compiled when they are stored',
    [`apiserver/kinds/governance-answers.test.ts`],
  ],
  [
    'should reject validating webhook configurations with invalid match conditions',
    'conditions are compiled when they are stored',
    [`apiserver/kinds/governance-answers.test.ts`],
  ],
  [
    'should unconditionally reject operations on fail closed webhook',
    'nobody is trusted without an authority',
    recordedHooks('an unknown authority'),
  ],
);

const POLICIES = area(
  'api-machinery',
  'ValidatingAdmissionPolicy',
  ['should allow expressions to refer variables.', 'variables in expressions', policies('variables')],
  ['should support ValidatingAdmissionPolicy API operations', 'the life of a policy', life('admission-policy')],
  ['should support ValidatingAdmissionPolicyBinding API operations', 'the life of a binding', life('admission-binding')],
  ['should validate against a Deployment', 'a bound on replicas', policies('replicas, also of a scale')],
);

const GARBAGE = area(
  'api-machinery',
  'Garbage collector',
  [
    'should delete RS created by deployment when not orphaning',
    'sets and pods go with their Deployment',
    played('deployments', 'deployment-claims'),
  ],
  ['should delete pods created by rc when not orphaning', 'pods go with their controller', extra('controller-background')],
  [
    'should keep the rc around until all its pods are deleted if the deleteOptions says so',
    'pods go before their controller',
    extra('controller-foreground'),
    played('garbage', 'gc-foreground-held'),
  ],
  ['should not be blocked by dependency circle', 'owners in a circle', played('garbage', 'gc-cycle-of-three')],
  [
    "should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted",
    'one of two owners goes',
    played('garbage', 'gc-one-of-two-foreground', 'gc-second-owner-while-waiting'),
  ],
  [
    'should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan',
    'sets stay without their Deployment',
    played('deployments', 'deployment-claims'),
  ],
  ['should orphan pods created by rc if delete options say so', 'pods stay without their controller', extra('controller-orphan')],
);

const objects = (shows: string): readonly [string, Evidence] => [shows, played('resource-quotas', 'quota-objects')];
const QUOTAS = area(
  'api-machinery',
  'ResourceQuota',
  [
    'should apply changes to a resourcequota status',
    'its status is written by itself',
    life('resource-quota'),
    played('resource-quotas', 'quota-objects'),
  ],
  ['should be able to update and delete ResourceQuota.', 'changed and deleted', life('resource-quota')],
  ['should create a ResourceQuota and capture the life of a configMap.', ...objects('ConfigMaps come and go')],
  [
    'should create a ResourceQuota and capture the life of a pod.',
    'pods come, are too many, and go',
    played('resource-quotas', 'quota-compute'),
    quota('as much as there is', 'too much of both', 'a device'),
  ],
  ['should create a ResourceQuota and capture the life of a replica set.', ...objects('kinds are counted by their names')],
  ['should create a ResourceQuota and capture the life of a replication controller.', ...objects('controllers are counted')],
  ['should create a ResourceQuota and capture the life of a secret.', ...objects('Secrets come and go')],
  [
    'should create a ResourceQuota and capture the life of a service.',
    'Services by their types',
    played('resource-quotas', 'quota-services'),
    quota('a Service too many'),
  ],
  ['should create a ResourceQuota and ensure its status is promptly calculated.', ...objects('it is counted at once')],
  ['should manage the lifecycle of a ResourceQuota', 'its life', life('resource-quota')],
  [
    'should verify ResourceQuota with best effort scope.',
    'pods that ask for nothing',
    played('resource-quotas', 'quota-best-effort'),
    quota('best effort', 'not best effort'),
  ],
  [
    'should verify ResourceQuota with terminating scopes.',
    'pods that end',
    played('resource-quotas', 'quota-scopes'),
    quota('terminating', 'not terminating'),
  ],
);

const APPS = [
  ...area(
    'apps',
    'CronJob',
    ['should not schedule jobs when suspended', 'suspended', played('jobs', 'cron-suspended')],
    ['should not schedule new jobs when ForbidConcurrent', 'one at a time', played('jobs', 'cron-forbid')],
    ['should replace jobs when ReplaceConcurrent', 'the newer in the place of the older', played('jobs', 'cron-replace')],
    ['should schedule multiple jobs concurrently', 'several at a time', played('jobs', 'cron-allow')],
    ['should support CronJob API operations', 'its life', life('cron-job')],
  ),
  ...area('apps', 'ControllerRevision', [
    'should manage the lifecycle of a ControllerRevision',
    'its life, and those that a set makes',
    life('controller-revision'),
    played('daemon-sets', 'daemon-history'),
    extra('revisions-daemonsets'),
  ]),
  ...area(
    'apps',
    'Daemon set',
    ['should list and delete a collection of DaemonSets', 'listed and deleted together', life('daemon-set')],
    ['should retry creating failed daemon pods', 'pods that failed are replaced', played('daemon-sets', 'daemon-ended')],
    ['should rollback without unnecessary restarts', 'taken back in the middle', played('daemon-sets', 'daemon-rolling')],
    ['should run and stop complex daemon', 'nodes by their labels', played('daemon-sets', 'daemon-life', 'daemon-affinity')],
    ['should run and stop simple daemon', 'a deleted pod is replaced', played('daemon-sets', 'daemon-life')],
    ['should update pod when spec was updated and update strategy is RollingUpdate', 'rolled out', played('daemon-sets', 'daemon-rolling')],
    ['should verify changes to a daemon set status', 'its status is written by itself', life('daemon-set')],
  ),
  ...area(
    'apps',
    'Deployment',
    ['Deployment should have a working scale subresource', 'scaled by its scale', life('deployment'), extra('scale-deployments')],
    ['RecreateDeployment should delete old pods and create new ones', 'all at once', played('deployments', 'deployment-recreate')],
    [
      'RollingUpdateDeployment should delete old pods and create new ones',
      'one after the other, and a set that was there',
      extra('deployment-rollover'),
      played('deployments', 'deployment-life'),
    ],
    ['deployment should delete old replica sets', 'old sets go', played('deployments', 'deployment-history')],
    ['deployment should support proportional scaling', 'scaled while two sets have pods', played('deployments', 'deployment-stuck')],
    ['deployment should support rollover', 'changed before a roll-out has ended', extra('deployment-rollover')],
    ['should run the lifecycle of a Deployment', 'its life', life('deployment'), played('deployments', 'deployment-life')],
    ['should validate Deployment Status endpoints', 'its status is written by itself', life('deployment')],
  ),
  ...area(
    'apps',
    'DisruptionController',
    [
      'Listing PodDisruptionBudgets for all namespaces should list and delete a collection of PodDisruptionBudgets',
      'listed and deleted together',
      life('disruption-budget'),
    ],
    ['should block an eviction until the PDB is updated to allow it', 'an eviction waits for another bound', extra('budget-changed')],
    ['should create a PodDisruptionBudget', 'its life', life('disruption-budget')],
    ['should observe PodDisruptionBudget status updated', 'its counts follow the pods', played('disruption-budgets', 'budget-number')],
    ['should update/patch PodDisruptionBudget status', 'its status is written by itself', life('disruption-budget')],
  ),
  ...area(
    'apps',
    'Job',
    ['should adopt matching orphans and release non-matching pods', 'pods by their labels', played('jobs', 'job-claims')],
    [
      'should allow to use the pod failure policy on exit code to fail the job early',
      'a code that ends it',
      played('jobs', 'job-policy-job'),
    ],
    ['should apply changes to a job status', 'its status is written by itself', life('job')],
    [
      'should create pods for an Indexed job with completion indexes and specified hostname',
      'pods with indexes',
      played('jobs', 'job-indexed', 'job-index-life'),
    ],
    ['should delete a job', 'deleted with its pods', played('jobs', 'job-life', 'job-foreground')],
    ['should manage the lifecycle of a job', 'its life', life('job')],
    [
      'should run a job to completion when tasks sometimes fail and are locally restarted',
      'pods that are started again',
      played('jobs', 'job-restarts'),
    ],
  ),
  ...area(
    'apps',
    'ReplicaSet',
    ['Replace and Patch tests', 'replaced and patched', life('replica-set'), played('replica-sets', 'set-life')],
    ['Replicaset should have a working scale subresource', 'scaled by its scale', life('replica-set'), extra('scale-replicasets')],
    [
      'should adopt matching pods on creation and release no longer matching pods',
      'pods by their labels',
      played('replica-sets', 'set-claims'),
    ],
    ['should list and delete a collection of ReplicaSets', 'listed and deleted together', life('replica-set')],
    ['should serve a basic image on each replica with a public image', 'pods of the template', played('replica-sets', 'set-life')],
    ['should validate Replicaset Status endpoints', 'its status is written by itself', life('replica-set')],
  ),
  ...area(
    'apps',
    'ReplicationController',
    ['should adopt matching pods on creation', 'a pod that is there is taken in', played('replica-sets', 'controller-life')],
    [
      'should get and update a ReplicationController scale',
      'scaled by its scale',
      life('replication-controller'),
      extra('scale-replicationcontrollers'),
    ],
    ['should release no longer matching pods', 'a pod leaves by its labels', played('replica-sets', 'controller-life')],
    ['should serve a basic image on each replica with a public image', 'pods of the template', played('replica-sets', 'controller-life')],
    ['should surface a failure condition on a common issue like exceeded quota', 'a condition tells of a quota', extra('controller-quota')],
    [
      'should test the lifecycle of a ReplicationController',
      'its life',
      life('replication-controller'),
      played('replica-sets', 'controller-life'),
    ],
  ),
  ...area(
    'apps',
    'StatefulSet Basic StatefulSet functionality [StatefulSetBasic]',
    ['Burst scaling should run to completion even with unhealthy pods', 'all at once', played('stateful-sets', 'stateful-parallel')],
    [
      'Scaling should happen in predictable order and halt if any stateful pod is unhealthy',
      'in their order, and no further',
      played('stateful-sets', 'stateful-ordered'),
    ],
    ['Should recreate evicted statefulset', 'a pod that failed is replaced', played('stateful-sets', 'stateful-failed')],
    ['should have a working scale subresource', 'scaled by its scale', life('stateful-set'), extra('scale-statefulsets')],
    ['should list, patch and delete a collection of StatefulSets', 'listed, patched and deleted together', life('stateful-set')],
    [
      'should perform canary updates and phased rolling updates of template modifications',
      'some pods first',
      played('stateful-sets', 'stateful-partition'),
    ],
    [
      'should perform rolling updates and roll backs of template modifications',
      'rolled out and back',
      played('stateful-sets', 'stateful-life', 'stateful-history'),
    ],
    ['should validate Statefulset Status endpoints', 'its status is written by itself', life('stateful-set')],
  ),
];

const accounts = (...titles: string[]): Evidence => played('service-accounts', ...titles);
const OTHERS = [
  ...area(
    'auth',
    'ServiceAccounts',
    [
      'ServiceAccountIssuerDiscovery should support OIDC discovery of service account issuer',
      'tokens can be checked by others',
      [`${HTTP}/access.test.ts`, 'can be verified with the published keys'],
    ],
    ['should allow opting out of API token automount', 'what account and pod say of it', suite('service-account')],
    ['should guarantee kube-root-ca.crt exist in any namespace', 'made, made again and put right', accounts('accounts')],
    ['should mount an API token into pods', 'the volume and its mounts', suite('service-account')],
    [
      'should mount projected service account token',
      'the volume, and tokens that are granted',
      suite('service-account'),
      [`${HTTP}/access.test.ts`, 'is answered with what was granted'],
    ],
    ['should run through the lifecycle of a ServiceAccount', 'its life', life('service-account')],
    ['should update a ServiceAccount', 'replaced', life('service-account')],
  ),
  ...area(
    'instrumentation',
    'Events',
    ['API should delete a collection of events', 'deleted together, in the newer group', life('new-event')],
    ['API should ensure that an event can be fetched, patched, deleted, and listed', 'their life in the newer group', life('new-event')],
    ['should delete a collection of events', 'deleted together', life('event')],
    ['should manage the lifecycle of an event', 'their life', life('event')],
  ),
  ...area(
    'node',
    'RuntimeClass',
    ['should reject a Pod requesting a deleted RuntimeClass', 'a class that is not there', suite('runtime-class')],
    ['should reject a Pod requesting a non-existent RuntimeClass', 'a class that never was', suite('runtime-class')],
    ['should schedule a Pod requesting a RuntimeClass and initialize its Overhead', 'what it costs besides', suite('runtime-class')],
    ['should schedule a Pod requesting a RuntimeClass without PodOverhead', 'a class that costs nothing', suite('runtime-class')],
    ['should support RuntimeClasses API operations', 'its life', life('runtime-class')],
  ),
  ...area(
    'scheduling',
    'LimitRange',
    [
      'should create a LimitRange with defaults and ensure pod has those defaults applied.',
      'defaults and bounds of pods',
      ['apiserver/admission/limit-ranger.test.ts', 'defaults', 'defaults beside what is said', 'below the bounds', 'above the bounds'],
      life('limit-range'),
    ],
    ['should list, patch and delete a LimitRange by collection', 'of two namespaces, one alone is emptied', life('limit-range')],
  ),
];

export const ROWS: readonly ConformanceRow[] = [...WEBHOOKS, ...POLICIES, ...GARBAGE, ...QUOTAS, ...APPS, ...OTHERS];
