/** Autoscalers where nobody measures anything: targets that cannot be scaled, limits, and what is said of metrics that nobody serves. */
import type { Body } from '../reference';
import {
  APPS,
  average,
  changed,
  containerResource,
  CPU,
  deployment,
  EVENTS,
  external,
  LOOKS,
  ofObject,
  ofPods,
  pods,
  resource,
  scaled,
  scaler,
  SCALERS,
  SEVEN_LEFTOVERS,
  SEVEN_ONLY,
  scenario,
  utilization,
  value,
  WEB,
} from './autoscaler-steps';
import { create, patch, remove, untilServed, type Act, type Scenario } from './scenario';

const SEEN = [...LOOKS, EVENTS];
/** The reference looks anew for kinds every 30 s. */
const SEEN_ANEW_MS = 36_000;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/scaling.example.com/v1/namespaces/$NS/$NS-widgets';

const definition = (subresources: Body): Act =>
  create(DEFINITIONS, {
    metadata: { name: '$NS-widgets.scaling.example.com' },
    spec: {
      group: 'scaling.example.com',
      scope: 'Namespaced',
      names: { plural: '$NS-widgets', kind: '$NS-Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: { status: {}, ...subresources },
        },
      ],
    },
  });
const SCALE: Body = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const SELECTED: Body = { ...SCALE, labelSelectorPath: '.status.selector' };
const widget = (spec: Body): Act =>
  untilServed(create(WIDGETS, { apiVersion: 'scaling.example.com/v1', kind: '$NS-Widget', metadata: { name: 'w' }, spec }));
const widgetHas = (status: Body): Act => patch(`${WIDGETS}/w/status`, { status });
const WIDGET: Body = { apiVersion: 'scaling.example.com/v1', kind: '$NS-Widget', name: 'w' };
const custom = (name: string, subresources: Body, steps: Scenario['steps']): Scenario =>
  scenario(name, [{ title: 'a kind of its own', acts: [definition(subresources)] }, ...steps], {
    looks: [...LOOKS, { path: WIDGETS, members: ['spec'] }],
    leftovers: [`${DEFINITIONS}/$NS-widgets.scaling.example.com`],
  });

export const AUTOSCALERS: readonly Scenario[] = [
  scenario('unmeasured', [{ title: 'nobody measures', acts: [...deployment(3), ...pods(3), scaler(CPU)] }], { looks: SEEN }),
  ...Object.entries({
    memory: resource(average('100Mi'), 'memory'),
    container: containerResource(utilization(50)),
    pods: ofPods(average('10')),
    object: ofObject(value('10')),
    external: external(value('10')),
    selected: external(average('10'), { selector: { matchLabels: { q: 'one' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
  }).map(([name, metric]) =>
    scenario(`unmeasured-${name}`, [{ title: 'nobody measures', acts: [...deployment(3), ...pods(1), scaler({ metrics: [metric] })] }], {
      looks: SEEN,
    }),
  ),
  scenario('unmeasured-all', [
    {
      title: 'nobody measures anything',
      acts: [...deployment(3), scaler({ metrics: [ofPods(average('10')), resource(utilization(50)), external(value('10'))] })],
    },
  ]),
  scenario('default', [{ title: 'no metrics asked for', acts: [...deployment(2), scaler({})] }]),
  scenario('podless', [{ title: 'no pods', acts: [...deployment(2), scaler(CPU)] }], { looks: SEEN }),
  scenario(
    'missing',
    [
      { title: 'no such Deployment', acts: [scaler(CPU)] },
      { title: 'it comes', acts: deployment(3) },
      { title: 'it goes', acts: [remove(`${APPS}/deployments/web`)] },
    ],
    { looks: SEEN },
  ),
  ...Object.entries({
    'unknown-kind': { apiVersion: 'apps/v1', kind: 'Foo', name: 'web' },
    'unknown-group': { apiVersion: 'foo.example.com/v1', kind: 'Deployment', name: 'web' },
    'unknown-version': { apiVersion: 'apps/v1beta7', kind: 'Deployment', name: 'web' },
    'no-version': { kind: 'Deployment', name: 'web' },
    'bad-version': { apiVersion: 'a/b/c', kind: 'Deployment', name: 'web' },
    unscalable: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web' },
    'unscalable-set': { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web' },
    'cluster-scoped': { apiVersion: 'v1', kind: 'Node', name: 'web' },
    core: { apiVersion: 'v1', kind: 'ReplicationController', name: 'web' },
  }).map(([name, scaleTargetRef]) =>
    scenario(name, [{ title: 'the target', acts: [...deployment(3), scaler({ scaleTargetRef, ...CPU })] }], { looks: SEEN }),
  ),
  scenario(
    'limits',
    [
      { title: 'too many', acts: [...deployment(12), scaler(CPU)] },
      { title: 'fewer are allowed', acts: [changed({ maxReplicas: 8 })] },
      { title: 'too few', acts: [changed({ minReplicas: 3 }), scaled(1)] },
      { title: 'none: nothing is done', acts: [scaled(0)] },
      { title: 'more again', acts: [scaled(2)] },
    ],
    { looks: SEEN },
  ),
  scenario('limits-beyond-rates', [
    {
      title: 'below, and nothing may be added',
      acts: [...deployment(1), scaler({ ...CPU, minReplicas: 8, behavior: { scaleUp: { selectPolicy: 'Disabled' } } })],
    },
    { title: 'above, and nothing may be taken', acts: [changed({ behavior: { scaleDown: { selectPolicy: 'Disabled' } } }), scaled(15)] },
  ]),
  scenario(
    'ambiguous',
    [
      { title: 'two on one target', restMs: 2_500, acts: [...deployment(2), ...pods(2), scaler(CPU), scaler(CPU, 'i')] },
      { title: 'one is deleted', acts: [remove(`${SCALERS}/i`)] },
      {
        title: 'another one on the same pods',
        restMs: 2_500,
        acts: [...deployment(2, 'other', { app: 'a' }), scaler({ ...CPU, scaleTargetRef: { ...WEB, name: 'other' } }, 'i')],
      },
      {
        title: 'on pods of its own',
        acts: [patch(`${SCALERS}/i`, { spec: { scaleTargetRef: { ...WEB, name: 'third' } } }), ...deployment(2, 'third', { app: 'b' })],
      },
    ],
    {},
  ),
  scenario(
    'refused',
    [
      {
        title: 'a policy refuses',
        acts: [...SEVEN_ONLY, ...deployment(2)],
      },
      { title: 'a size', acts: [scaler({ ...CPU, minReplicas: 4 })] },
      { title: 'another size', acts: [changed({ minReplicas: 7 })] },
    ],
    { looks: SEEN, leftovers: SEVEN_LEFTOVERS },
  ),
  custom('custom', { scale: SELECTED }, [
    {
      title: 'three of it',
      restMs: SEEN_ANEW_MS,
      acts: [
        widget({ replicas: 3 }),
        widgetHas({ replicas: 3, selector: 'app=a' }),
        ...pods(1),
        scaler({ ...CPU, scaleTargetRef: WIDGET }),
      ],
    },
    { title: 'two are allowed', acts: [changed({ maxReplicas: 2 })] },
    { title: 'what it selects makes no sense', acts: [widgetHas({ selector: 'a=b=c' })] },
    { title: 'it selects nothing', acts: [widgetHas({ selector: '' })] },
    { title: 'it does not say how many', acts: [patch(`${WIDGETS}/w`, { spec: { replicas: null } })] },
  ]),
  custom('custom-unselected', { scale: SCALE }, [
    { title: 'three of it', restMs: SEEN_ANEW_MS, acts: [widget({ replicas: 3 }), scaler({ ...CPU, scaleTargetRef: WIDGET })] },
  ]),
  custom('custom-unscaled', {}, [
    { title: 'three of it', restMs: SEEN_ANEW_MS, acts: [widget({ replicas: 3 }), scaler({ ...CPU, scaleTargetRef: WIDGET })] },
  ]),
  scenario('first-version', [
    {
      title: 'as the first version says it',
      acts: [
        ...deployment(3),
        create('/apis/autoscaling/v1/namespaces/$NS/horizontalpodautoscalers', {
          metadata: { name: 'h' },
          spec: { scaleTargetRef: WEB, maxReplicas: 2, targetCPUUtilizationPercentage: 70 },
        }),
      ],
    },
  ]),
];
