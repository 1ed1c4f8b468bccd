/**
 * Requests of tests that kill the autoscaler controller: a Deployment, its autoscaler, and an external metric on the
 * metrics server of the tests.
 */
import type { Body } from '../json-response';
import { create, patch, replace, type ScenarioRequest } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const AUTOSCALERS = '/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers';
const LABELS = { app: 'a' };
const TEMPLATE: Body = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const TARGET: Body = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

/** A Deployment with this number of replicas in its spec and its status. */
export const createDeployment = (replicas: number): ScenarioRequest[] => [
  create(`${APPS}/deployments`, { metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: LABELS }, template: TEMPLATE } }),
  patch(`${APPS}/deployments/web/status`, { status: { replicas } }),
];

/** An autoscaler of the Deployment; `spec` overrides the defaults. */
export const createAutoscaler = (spec: Body): ScenarioRequest =>
  create(AUTOSCALERS, { metadata: { name: 'h' }, spec: { scaleTargetRef: TARGET, maxReplicas: 10, ...spec } });
export const patchAutoscaler = (spec: Body): ScenarioRequest => patch(`${AUTOSCALERS}/h`, { spec });

/** The parts of the autoscaler's spec for the external metric `queue`. */
export const averageTarget = (averageValue: string): Body => ({ type: 'AverageValue', averageValue });
export const externalMetric = (target: Body): Body => ({ type: 'External', external: { metric: { name: 'queue' }, target } });
/** Sets the values of the external metric `queue`. */
export const setQueueLengths = (...amounts: readonly string[]): ScenarioRequest =>
  replace('/apis/external.metrics.k8s.io/v1beta1/namespaces/$NS/queue', {
    kind: 'ExternalMetricValueList',
    apiVersion: 'external.metrics.k8s.io/v1beta1',
    metadata: {},
    items: amounts.map((amount) => ({ metricName: 'queue', metricLabels: { q: 'one' }, timestamp: '$NOW', value: amount })),
  });
