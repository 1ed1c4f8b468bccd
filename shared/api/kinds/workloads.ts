/** The kinds that keep pods running and the ones that scale and protect them. */
import { rowsOf, STATUS, type KindRow } from './row';

const apps = rowsOf('apps', 'v1', 'apps.v1');
const autoscaling = rowsOf('autoscaling', 'v2', 'autoscaling.v2');
const batch = rowsOf('batch', 'v1', 'batch.v1');
const policy = rowsOf('policy', 'v1', 'policy.v1');

export const WORKLOADS: readonly KindRow[] = [
  apps('ControllerRevision', 'controllerrevisions'),
  apps('DaemonSet', 'daemonsets', { shortNames: ['ds'], categories: ['all'], subresources: [STATUS], generation: 'counted' }),
  apps('Deployment', 'deployments', {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: [STATUS],
    statusKeeps: 'labels',
    generation: 'counted-with-annotations',
  }),
  apps('ReplicaSet', 'replicasets', { shortNames: ['rs'], categories: ['all'], subresources: [STATUS], generation: 'counted' }),
  apps('StatefulSet', 'statefulsets', {
    shortNames: ['sts'],
    categories: ['all'],
    subresources: [STATUS],
    nameFormat: 'dns-label',
    generation: 'counted',
  }),
  autoscaling('HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    shortNames: ['hpa'],
    categories: ['all'],
    subresources: [STATUS],
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
    shortNames: ['pdb'],
    subresources: [STATUS],
    nameFormat: 'path-segment',
    generation: 'counted',
    requiresResourceVersion: true,
  }),
];
