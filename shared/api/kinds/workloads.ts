/** Workload controllers, autoscalers and disruption budgets. */
import { scaleAndStatus } from './virtual';
import { rowFactory, STATUS, type KindRow } from './row';

const apps = rowFactory('apps', 'v1', 'apps.v1');
const autoscaling = rowFactory('autoscaling', 'v2', 'autoscaling.v2');
const autoscalingV1 = rowFactory('autoscaling', 'v1', 'autoscaling.v1');
const batch = rowFactory('batch', 'v1', 'batch.v1');
const policy = rowFactory('policy', 'v1', 'policy.v1');

const AUTOSCALER = { shortNames: ['hpa'], categories: ['all'], subresources: [STATUS] };

export const WORKLOAD_KINDS: readonly KindRow[] = [
  apps('ControllerRevision', 'controllerrevisions'),
  apps('DaemonSet', 'daemonsets', { shortNames: ['ds'], categories: ['all'], subresources: [STATUS], generation: 'counted' }),
  apps('Deployment', 'deployments', {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: scaleAndStatus('apps'),
    statusUpdateKeeps: 'labels',
    generation: 'counted-with-annotations',
  }),
  apps('ReplicaSet', 'replicasets', {
    shortNames: ['rs'],
    categories: ['all'],
    subresources: scaleAndStatus('apps'),
    generation: 'counted',
  }),
  apps('StatefulSet', 'statefulsets', {
    shortNames: ['sts'],
    categories: ['all'],
    subresources: scaleAndStatus(),
    nameFormat: 'dns-label',
    generation: 'counted',
  }),
  autoscaling('HorizontalPodAutoscaler', 'horizontalpodautoscalers', AUTOSCALER),
  autoscalingV1('HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    ...AUTOSCALER,
    storedAs: { group: 'autoscaling', version: 'v2' },
  }),
  batch('CronJob', 'cronjobs', { shortNames: ['cj'], categories: ['all'], subresources: [STATUS], generation: 'counted' }),
  batch('Job', 'jobs', {
    orphansByDefault: true,
    categories: ['all'],
    subresources: [STATUS],
    generation: 'counted',
    fieldLabelErrorForm: 'with-kind',
    selectableFields: [{ name: 'status.successful', path: 'status.succeeded', absent: '0' }],
  }),
  policy('PodDisruptionBudget', 'poddisruptionbudgets', {
    allowsUnqualifiedFinalizers: true,
    shortNames: ['pdb'],
    subresources: [STATUS],
    nameFormat: 'path-segment',
    generation: 'counted',
    requiresResourceVersion: true,
  }),
];
