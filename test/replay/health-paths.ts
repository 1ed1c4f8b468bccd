/** What is asked of the health endpoints, by an administrator and by nobody. */
import { HEALTH_ENDPOINTS } from '../../shared/runtime/health';

const OF_ALL = [
  '',
  '?verbose',
  '?verbose=false',
  '?exclude=nothing',
  '?verbose&exclude=etcd',
  '?verbose&exclude=etcd,ping',
  '?verbose&exclude=',
];
const SINGLE = [
  'ping',
  'etcd?verbose',
  'etcd?exclude=etcd',
  'etcd/',
  'nothing',
  'shutdown',
  'informer-sync',
  'etcd-readiness',
  'poststarthook',
];
const STARTED = ['rbac/bootstrap-roles', 'bootstrap-controller', 'crd-informer-synced'].map((name) => `poststarthook/${name}`);
const EXCLUDED_TWICE = '?exclude=etcd&verbose&exclude=later&exclude=earlier&exclude=etcd';

export const HEALTH_PATHS: readonly string[] = HEALTH_ENDPOINTS.flatMap((endpoint) => [
  ...[...OF_ALL, EXCLUDED_TWICE].map((query) => `/${endpoint}${query}`),
  ...[...SINGLE, ...STARTED, 'autoregister-completion'].map((check) => `/${endpoint}/${check}`),
]);

export const WHO = ['admin', 'nobody'] as const;
