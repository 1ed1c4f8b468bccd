/** Autoscalers that look at what pods, objects and others are said to have, and at several metrics. */
import {
  APPS,
  LOOKS,
  EVENTS,
  ASKED,
  deployment,
  scaled,
  scaler,
  changed,
  serving,
  resource,
  utilization,
  average,
  value,
  ofPods,
  ofObject,
  external,
  podsHave,
  objectHas,
  queueHas,
  scenario,
  AT_ONCE,
  all,
  begin,
} from './autoscaler-steps';
import { patch, replace, type Scenario } from './scenario';

const SEEN = [...LOOKS, EVENTS];
const INGRESS_V2 = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'other' };
export const SCALED_BY_METRICS: readonly Scenario[] = [
  scenario(
    'pods-metric',
    [
      { title: 'twice as much as wanted', acts: [podsHave({ p1: '20', p2: '20' }), ...begin(2, { metrics: [ofPods(average('10'))] })] },
      { title: 'parts of one', acts: [podsHave({ p1: '1500m', p2: '1001m' }), changed({ metrics: [ofPods(average('500m'))] })] },
      { title: 'one is not measured', acts: [podsHave({ p1: '1' }), scaled(2)] },
      { title: 'chosen by labels', acts: [changed({ metrics: [ofPods(average('1'), { selector: { matchLabels: { verb: 'GET' } } })] })] },
    ],
    { looks: [...SEEN, ASKED] },
  ),
  scenario(
    'pods-metric-none',
    [{ title: 'nothing is measured', acts: [podsHave({}), ...begin(2, { metrics: [ofPods(average('10'))] })] }],
    { looks: SEEN },
  ),
  scenario(
    'pods-metric-unknown',
    [{ title: 'no such metric', acts: begin(2, { metrics: [ofPods(average('10'), { name: 'unknown' })] }) }],
    { looks: SEEN },
  ),
  scenario(
    'object',
    [
      { title: 'twice as much as wanted', acts: [objectHas('20'), ...begin(2, { metrics: [ofObject(value('10'))] })] },
      { title: 'a tenth too much', acts: [objectHas('11'), scaled(2)] },
      { title: 'for each pod', acts: [objectHas('50'), changed({ metrics: [ofObject(average('10'))] })] },
      {
        title: 'a third of a pod',
        acts: [
          objectHas('100'),
          patch(`${APPS}/deployments/web/status`, { status: { replicas: 3 } }),
          changed({ metrics: [ofObject(average('30'))] }),
        ],
      },
      {
        title: 'chosen by labels',
        acts: [changed({ metrics: [ofObject(value('90'), undefined, { selector: { matchLabels: { verb: 'GET' } } })] })],
      },
      { title: 'another object', acts: [changed({ metrics: [ofObject(value('90'), INGRESS_V2)] })] },
      {
        title: 'of a kind that is not there',
        acts: [changed({ metrics: [ofObject(value('90'), { apiVersion: 'x.example.com/v1', kind: 'Foo', name: 'x' })] })],
      },
      {
        title: 'of the namespace',
        acts: [
          objectHas('90', 'namespaces/$NS/metrics', { apiVersion: '/v1', kind: 'Namespace', name: '$NS' }),
          changed({ metrics: [ofObject(value('90'), { apiVersion: 'v1', kind: 'Namespace', name: '$NS' })] }),
        ],
      },
      {
        title: 'of a node',
        acts: [
          objectHas('180', 'nodes/$NS-n', { apiVersion: '/v1', kind: 'Node', name: '$NS-n' }),
          changed({ metrics: [ofObject(value('90'), { apiVersion: 'v1', kind: 'Node', name: '$NS-n' })] }),
        ],
      },
    ],
    { looks: [...LOOKS, ASKED] },
  ),
  scenario('failing-metrics', [
    {
      title: 'of pods, by an answer that says nothing',
      acts: [
        replace('/apis/custom.metrics.k8s.io/v1beta2/namespaces/$NS/pods/all/requests', { code: 500 }),
        replace('/apis/custom.metrics.k8s.io/v1beta2/namespaces/$NS/ingresses.networking.k8s.io/main/hits', { code: 500 }),
        replace('/apis/external.metrics.k8s.io/v1beta1/namespaces/$NS/queue', { code: 500 }),
        ...begin(2, { metrics: [ofPods(average('10'))] }),
      ],
    },
    { title: 'of an object', acts: [changed({ metrics: [ofObject(value('10'))] })] },
    { title: 'of others', acts: [changed({ metrics: [external(value('10'))] })] },
  ]),
  scenario(
    'object-without-pods',
    [
      { title: 'no pods', acts: [objectHas('20'), ...deployment(2), scaler({ ...AT_ONCE, metrics: [ofObject(value('10'))] })] },
      { title: 'none of them ready', acts: [...serving('p1', { is: 'False' })] },
      {
        title: 'for each of none',
        acts: [patch(`${APPS}/deployments/web/status`, { status: { replicas: 0 } }), changed({ metrics: [ofObject(average('10'))] })],
      },
    ],
    { looks: SEEN },
  ),
  scenario(
    'external',
    [
      { title: 'twice as much as wanted', acts: [queueHas('15', '5'), ...begin(2, { metrics: [external(value('10'))] })] },
      { title: 'for each pod', acts: [queueHas('50'), changed({ metrics: [external(average('10'))] })] },
      {
        title: 'chosen by labels',
        acts: [
          queueHas('40'),
          changed({
            metrics: [
              external(average('10'), {
                selector: {
                  matchLabels: { q: 'one' },
                  matchExpressions: [
                    { key: 'r', operator: 'In', values: ['b', 'a'] },
                    { key: 's', operator: 'DoesNotExist' },
                  ],
                },
              }),
            ],
          }),
        ],
      },
      { title: 'nothing', acts: [queueHas()] },
      { title: 'parts of one', acts: [queueHas('1500m', '1n'), scaled(2), changed({ metrics: [external(value('1'))] })] },
    ],
    { looks: [...SEEN, ASKED] },
  ),
  scenario(
    'partly',
    [
      {
        title: 'one of two cannot be measured',
        acts: [all(2, '100m'), ...begin(2, { metrics: [resource(utilization(50)), ofObject(average('1'), INGRESS_V2)] })],
      },
    ],
    { looks: SEEN },
  ),
  scenario(
    'partly-fewer',
    [
      {
        title: 'the other wants fewer',
        acts: [all(2, '10m'), ...begin(2, { metrics: [external(average('1'), { name: 'unknown' }), resource(utilization(50))] })],
      },
    ],
    { looks: SEEN },
  ),
  scenario(
    'several',
    [
      {
        title: 'the most that any wants',
        acts: [
          all(2, '100m'),
          podsHave({ p1: '30', p2: '30' }),
          queueHas('10'),
          ...begin(2, { metrics: [resource(utilization(50)), ofPods(average('10')), external(average('10'))] }),
        ],
      },
      {
        title: 'one cannot be measured',
        acts: [changed({ metrics: [resource(utilization(50)), external(average('1'), { name: 'unknown' })] }), scaled(2)],
      },
      { title: 'nor may fewer be wanted then', acts: [all(2, '10m'), scaled(2)] },
      { title: 'in another order', acts: [changed({ metrics: [external(average('1'), { name: 'unknown' }), resource(utilization(50))] })] },
      {
        title: 'two cannot',
        acts: [changed({ metrics: [external(average('1'), { name: 'unknown' }), ofPods(average('1'), { name: 'unknown' })] })],
      },
      {
        title: 'two want the same',
        acts: [all(2, '100m'), queueHas('40'), scaled(2), changed({ metrics: [external(average('10')), resource(utilization(50))] })],
      },
    ],
    { looks: LOOKS },
  ),
];
