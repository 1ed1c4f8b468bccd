/** Autoscalers some of whose pods are not measured, not ready, or not there any more. */
import {
  LOOKS,
  EVENTS,
  deployment,
  scaled,
  scaler,
  changed,
  containerResource,
  serving,
  pods,
  resource,
  utilization,
  average,
  ofPods,
  used,
  podsHave,
  scenario,
  CPU,
  AT_ONCE,
  begin,
} from './autoscaler-steps';
import { patch, remove, type Scenario } from './scenario';

const SEEN = [...LOOKS, EVENTS];
const GOING = { metadata: { finalizers: ['a.example.com/f'] } };

export const SCALED_BY_SOME_PODS: readonly Scenario[] = [
  scenario('missing-up', [
    { title: 'one of three is not measured, others have too much', acts: [used({ p1: '100m', p2: '100m' }), ...begin(3, CPU)] },
    { title: 'far too much', acts: [used({ p1: '300m', p2: '300m' })] },
    { title: 'one has', acts: [scaled(3), used({ p1: '60m' })] },
  ]),
  scenario('missing-down', [
    { title: 'one of four is not measured, others have too little', acts: [used({ p1: '20m', p2: '20m', p3: '20m' }), ...begin(4, CPU)] },
    { title: 'nearly nothing', acts: [used({ p1: '1m', p2: '1m', p3: '1m' }), scaled(4)] },
    { title: 'by amount', acts: [changed({ metrics: [resource(average('50m'))] }), scaled(4)] },
    { title: 'a wish of more than all', acts: [changed({ metrics: [resource(utilization(150))] }), scaled(4)] },
  ]),
  scenario(
    'measured-podless',
    [{ title: 'measured, but not there', acts: [used({ x: '100m' }), ...deployment(2), scaler({ ...AT_ONCE, ...CPU })] }],
    { looks: SEEN },
  ),
  scenario('measured-podless-others', [
    {
      title: 'by amount',
      acts: [used({ x: '100m' }), podsHave({ x: '1' }), ...deployment(2), scaler({ ...AT_ONCE, metrics: [resource(average('50m'))] })],
    },
    { title: 'by another metric', acts: [changed({ metrics: [ofPods(average('10'))] })] },
    { title: 'of one container', acts: [changed({ metrics: [containerResource(average('10m'))] })] },
  ]),
  scenario('unrequested-ended', [
    {
      title: 'one that has failed asks for nothing',
      acts: [
        used({ p1: '100m' }),
        ...deployment(2),
        ...serving('p1'),
        ...serving('p2', { container: { resources: {} } }),
        patch('pods/p2/status', { status: { phase: 'Failed' } }),
        scaler({ ...AT_ONCE, ...CPU }),
      ],
    },
  ]),
  scenario('unready', [
    {
      title: 'one of three is not ready yet',
      acts: [
        used({ p1: '100m', p2: '100m', p3: '100m' }),
        ...deployment(3),
        ...serving('p1'),
        ...serving('p2'),
        ...serving('p3', { is: 'False', started: '$NOW', since: '$NOW' }),
        scaler({ ...AT_ONCE, ...CPU }),
      ],
    },
    { title: 'others have too little', acts: [scaled(3), used({ p1: '20m', p2: '20m', p3: '20m' })] },
    { title: 'by memory it counts', acts: [changed({ metrics: [resource(utilization(40), 'memory')] }), scaled(3)] },
    {
      title: 'it is ready, and was measured since',
      acts: [
        changed(CPU),
        scaled(3),
        patch('pods/p3/status', { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '$NOW-60s' }] } }),
      ],
    },
  ]),
  scenario(
    'starting',
    [
      {
        title: 'ready, and measured before it was',
        acts: [
          used({ p1: '100m', p2: { cpu: '100m', at: '$NOW-40s' }, p3: { cpu: '100m', at: '$NOW' } }),
          ...deployment(3),
          ...serving('p1'),
          ...serving('p2', { started: '$NOW-100s', since: '$NOW-60s' }),
          ...serving('p3', { started: '$NOW-100s', since: '$NOW-60s' }),
          scaler({ ...AT_ONCE, ...CPU }),
        ],
      },
      {
        title: 'none but it',
        acts: [remove('pods/p1', { gracePeriodSeconds: 0 }), remove('pods/p3', { gracePeriodSeconds: 0 }), scaled(3)],
      },
    ],
    { looks: SEEN },
  ),
  scenario('never-ready', [
    {
      title: 'not ready since it started an hour ago',
      acts: [
        used({ p1: '100m', p2: '100m', p3: '100m' }),
        ...deployment(3),
        ...serving('p1'),
        ...serving('p2', { is: 'False', since: '$NOW-3590s' }),
        ...serving('p3', { is: 'False', since: '$NOW-60s' }),
        scaler({ ...AT_ONCE, ...CPU }),
      ],
    },
  ]),
  scenario('unstarted', [
    {
      title: 'pods without a start or a word on readiness',
      acts: [
        used({ p1: '100m', p2: '100m', p3: '100m' }),
        ...deployment(3),
        ...serving('p1'),
        ...serving('p2'),
        ...serving('p3'),
        patch('pods/p2/status', { status: { startTime: null } }),
        patch('pods/p3/status', { status: { conditions: null } }),
        scaler({ ...AT_ONCE, ...CPU }),
      ],
    },
  ]),
  scenario('pending', [
    {
      title: 'two of four have not begun',
      acts: [
        used({ p1: '100m', p2: '100m' }),
        ...deployment(4),
        ...pods(4),
        ...['p3', 'p4'].map((name) => patch(`pods/${name}/status`, { status: { phase: 'Pending' } })),
        scaler({ ...AT_ONCE, ...CPU }),
      ],
    },
    { title: 'others have too little', acts: [used({ p1: '20m', p2: '20m' }), scaled(4)] },
    { title: 'by another metric', acts: [podsHave({ p1: '20', p2: '20' }), changed({ metrics: [ofPods(average('10'))] }), scaled(4)] },
  ]),
  scenario('ended', [
    {
      title: 'one has failed, one goes, one has done its work',
      acts: [
        used({ p1: '100m', p2: '100m', p3: '100m', p4: '100m' }),
        ...deployment(4),
        ...serving('p1'),
        ...serving('p2'),
        patch('pods/p2/status', { status: { phase: 'Failed' } }),
        ...serving('p3', GOING),
        remove('pods/p3', { gracePeriodSeconds: 0 }),
        ...serving('p4'),
        patch('pods/p4/status', { status: { phase: 'Succeeded' } }),
        scaler({ ...AT_ONCE, ...CPU }),
      ],
    },
    { title: 'the last one is not measured', acts: [used({ p1: '100m', p2: '100m', p3: '100m' }), scaled(4)] },
    { title: 'all have failed', acts: [...['p1', 'p4'].map((name) => patch(`pods/${name}/status`, { status: { phase: 'Failed' } }))] },
  ]),
];
