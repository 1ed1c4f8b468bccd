/** 64-bit integers that no number holds, where workloads may not have them: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';
import { AUTOSCALERS } from './autoscaler';
import { CONTROLLER_REVISIONS } from './controller-revision';
import { CRON_JOBS } from './cron-job';
import { DAEMON_SETS } from './daemon-set';
import { DEPLOYMENTS } from './deployment';
import { DISRUPTION_BUDGETS } from './disruption-budget';
import { JOBS } from './job';
import { job, NEVER } from './jobs';
import { template } from './pods';
import { POD_TEMPLATES, REPLICA_SETS, REPLICATION_CONTROLLERS } from './replica-set';
import { STATEFUL_SETS } from './stateful-set';

const BELOW: Json = { $integer: '-9007199254740993' };
const ABOVE: Json = { $integer: '9007199254740993' };

const only = ({ resource, kind, apiVersion, namespaced, base }: KindCases, bodies: KindCases['bodies']): KindCases => ({
  resource,
  kind,
  apiVersion,
  namespaced,
  base,
  bodies,
  changes: {},
  brief: true,
});

const observed = (kind: KindCases): KindCases => ({
  ...only(kind, {}),
  statuses: { 'observedGeneration: below': { ...kind.base, status: { replicas: 0, observedGeneration: BELOW } } },
});

const cron = (members: Body, ofJob: Body): Body => ({
  spec: { schedule: '* * * * *', jobTemplate: { spec: { ...ofJob, template: template({ restartPolicy: 'Never' }) } }, ...members },
});

const container = (members: Body): Body => ({ template: template({ containers: [{ name: 'c', image: 'i', ...members }] }) });
const spec = (members: Body): Body => ({ template: template(members) });
const probe = (name: string, seconds: Json): Body =>
  container({ [name]: { exec: { command: ['a'] }, terminationGracePeriodSeconds: seconds } });
const context = (members: Body): Body => spec({ securityContext: members });
const sleep = (grace: Json, seconds: Json): Body => ({
  template: template({
    terminationGracePeriodSeconds: grace,
    containers: [{ name: 'c', image: 'i', lifecycle: { preStop: { sleep: { seconds } } } }],
  }),
});
const token = (expirationSeconds: Json): Body =>
  spec({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds } }] } }] });
const toleration = (of: Body): Body => spec({ tolerations: [{ key: 'k', operator: 'Exists', tolerationSeconds: BELOW, ...of }] });

export const LARGE_INTEGERS: readonly KindCases[] = [
  only(CONTROLLER_REVISIONS, { 'revision: below': { revision: BELOW, data: {} } }),
  { ...only(JOBS, { 'activeDeadlineSeconds: below': job({ activeDeadlineSeconds: BELOW }) }), base: NEVER },
  only(CRON_JOBS, {
    'startingDeadlineSeconds: below': cron({ startingDeadlineSeconds: BELOW }, {}),
    'activeDeadlineSeconds: below': cron({}, { activeDeadlineSeconds: BELOW }),
  }),
  ...[DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS, AUTOSCALERS].map(observed),
  {
    ...only(DISRUPTION_BUDGETS, {}),
    statuses: {
      'observedGeneration: below': { ...DISRUPTION_BUDGETS.base, status: { observedGeneration: BELOW } },
      'a condition: below': {
        ...DISRUPTION_BUDGETS.base,
        status: {
          conditions: [
            {
              type: 'A',
              status: 'True',
              reason: 'R',
              message: '',
              lastTransitionTime: '2026-01-01T00:00:00Z',
              observedGeneration: BELOW,
            },
          ],
        },
      },
    },
  },
  only(POD_TEMPLATES, {
    'deadline: below': spec({ activeDeadlineSeconds: BELOW }),
    'deadline: above': spec({ activeDeadlineSeconds: ABOVE }),
    'users of the pod: below': context({ runAsUser: BELOW, runAsGroup: BELOW, fsGroup: BELOW, supplementalGroups: [BELOW] }),
    'users of the pod: above': context({ runAsUser: ABOVE, runAsGroup: ABOVE, fsGroup: ABOVE, supplementalGroups: [ABOVE] }),
    'users of a container: below': container({ securityContext: { runAsUser: BELOW, runAsGroup: BELOW } }),
    'users of a container: above': container({ securityContext: { runAsUser: ABOVE, runAsGroup: ABOVE } }),
    'a probe: below': probe('livenessProbe', BELOW),
    'a readiness probe: above': probe('readinessProbe', ABOVE),
    'sleep: above': sleep(30, ABOVE),
    'sleep: below': sleep(30, BELOW),
    'sleep: within a negative time': sleep(BELOW, 5),
    'token: below': token(BELOW),
    'token: above': token(ABOVE),
    'toleration: of another effect': toleration({ effect: 'NoSchedule' }),
    'toleration: with a value': toleration({ effect: 'NoExecute', value: 'x' }),
  }),
];
