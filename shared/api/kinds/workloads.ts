/** The kinds that keep pods running and the ones that scale and protect them. */
import { scaledWorkload } from './operations';
import { rowsOf, STATUS, type KindRow } from './row';

const apps = rowsOf('apps', 'v1', 'apps.v1');
const autoscaling = rowsOf('autoscaling', 'v2', 'autoscaling.v2');
const autoscalingV1 = rowsOf('autoscaling', 'v1', 'autoscaling.v1');
const batch = rowsOf('batch', 'v1', 'batch.v1');
const policy = rowsOf('policy', 'v1', 'policy.v1');

const AUTOSCALER = { shortNames: ['hpa'], categories: ['all'], subresources: [STATUS] };

export const WORKLOADS: readonly KindRow[] = [
  apps('ControllerRevision', 'controllerrevisions'),
  apps('DaemonSet', 'daemonsets', { shortNames: ['ds'], categories: ['all'], subresources: [STATUS], generation: 'counted' }),
  apps('Deployment', 'deployments', {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: scaledWorkload('apps'),
    statusKeeps: 'labels',
    generation: 'counted-with-annotations',
  }),
  apps('ReplicaSet', 'replicasets', {
    shortNames: ['rs'],
    categories: ['all'],
    subresources: scaledWorkload('apps'),
    generation: 'counted',
  }),
  apps('StatefulSet', 'statefulsets', {
    shortNames: ['sts'],
    categories: ['all'],
    subresources: scaledWorkload(),
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
    ownFieldLabels: 'with-kind',
    selectableFields: [{ name: 'status.successful', path: 'status.succeeded', absent: '0' }],
  }),
  policy('PodDisruptionBudget', 'poddisruptionbudgets', {
    looseFinalizers: true,
    shortNames: ['pdb'],
    subresources: [STATUS],
    nameFormat: 'path-segment',
    generation: 'counted',
    requiresResourceVersion: true,
  }),
];
