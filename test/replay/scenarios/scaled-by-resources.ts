/** Autoscalers of which pods use how much of what they ask for: how many pods they want. */
import {
  LOOKS,
  EVENTS,
  ASKED,
  deployment,
  scaled,
  scaler,
  changed,
  serving,
  pods,
  resource,
  utilization,
  average,
  containerResource,
  used,
  scenario,
  CPU,
  AT_ONCE,
  all,
  begin,
} from './autoscaler-steps';
import { replace, type Act, type Scenario } from './scenario';

const SEEN = [...LOOKS, EVENTS];
const two = { name: 'd', image: 'i', resources: { requests: { cpu: '300m' } } };
const one = { name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } };

const saysNothing = (code: number): Act => replace('/apis/metrics.k8s.io/v1beta1/namespaces/$NS/pods', { code });

export const SCALED_BY_RESOURCES: readonly Scenario[] = [
  scenario(
    'up',
    [
      { title: 'twice as much as wanted', acts: [all(2, '100m'), ...begin(2, CPU)] },
      { title: 'as many as there are', acts: [all(2, '50m'), scaled(2)] },
      { title: 'much more', acts: [all(2, '400m')] },
    ],
    { looks: [...SEEN, ASKED] },
  ),
  scenario(
    'down',
    [
      { title: 'less than wanted', acts: [all(4, '20m'), ...begin(4, CPU)] },
      { title: 'nothing', acts: [all(4, '0'), changed({ minReplicas: 1 })] },
    ],
    { looks: SEEN },
  ),
  scenario(
    'down-later',
    [
      { title: 'less than wanted', acts: [all(4, '20m'), ...deployment(4), ...pods(4), scaler(CPU)] },
      { title: 'more', acts: [all(4, '70m')] },
      { title: 'less again', acts: [all(4, '10m')] },
      { title: 'at once', acts: [changed(AT_ONCE)] },
    ],
    { looks: SEEN },
  ),
  scenario('tolerated', [
    { title: 'a tenth too much', acts: [all(3, '55m'), ...begin(3, CPU)] },
    { title: 'a little more', acts: [all(3, '56m')] },
    { title: 'a tenth too little', acts: [scaled(3), all(3, '45m')] },
    { title: 'a little less', acts: [all(3, '32m')] },
  ]),
  scenario('memory', [
    {
      title: 'twice as much as wanted',
      acts: [
        used({ p1: { cpu: '1', memory: '200Mi' }, p2: { cpu: '1', memory: '200Mi' } }),
        ...begin(2, { metrics: [resource(average('100Mi'), 'memory')] }),
      ],
    },
    { title: 'by share', acts: [changed({ metrics: [resource(utilization(60), 'memory')] })] },
    {
      title: 'odd amounts',
      acts: [
        used({ p1: { cpu: '1', memory: '1000001' }, p2: { cpu: '1', memory: '1000000' } }),
        changed({ metrics: [resource(average('1M'), 'memory')] }),
      ],
    },
  ]),
  scenario(
    'container',
    [
      {
        title: 'one of two',
        acts: [
          used({ p1: { cpu: '90m', beside: { d: '300m' } }, p2: { cpu: '90m', beside: { d: '300m' } } }),
          ...deployment(2),
          ...serving('p1', { spec: { containers: [one, two] } }),
          ...serving('p2', { spec: { containers: [one, two] } }),
          scaler({ ...AT_ONCE, metrics: [containerResource(utilization(50))] }),
        ],
      },
      { title: 'the other', acts: [changed({ metrics: [containerResource(utilization(80), 'd')] })] },
      { title: 'by amount', acts: [changed({ metrics: [containerResource(average('100m'), 'd')] })] },
      { title: 'both', acts: [changed({ metrics: [resource(utilization(80))] })] },
      { title: 'none that there is', acts: [changed({ metrics: [containerResource(utilization(50), 'e')] })] },
    ],
    { looks: SEEN },
  ),
  scenario(
    'sidecar',
    [
      {
        title: 'a container that is there before the others',
        acts: [
          used({ p1: { cpu: '100m', beside: { d: '100m' } } }),
          ...deployment(1),
          ...serving('p1', {
            spec: {
              containers: [one],
              initContainers: [
                { ...two, restartPolicy: 'Always' },
                { ...two, name: 'e' },
              ],
            },
          }),
          scaler({ ...AT_ONCE, metrics: [resource(utilization(50))] }),
        ],
      },
      { title: 'alone', acts: [changed({ metrics: [containerResource(utilization(10), 'd')] })] },
    ],
    { looks: SEEN },
  ),
  scenario(
    'unrequested',
    [
      {
        title: 'a container that asks for nothing',
        acts: [used({ p1: '100m' }), ...deployment(1), ...serving('p1', { container: { resources: {} } }), scaler(CPU)],
      },
      { title: 'by amount', acts: [changed({ metrics: [resource(average('50m'))] })] },
    ],
    { looks: SEEN },
  ),
  scenario('empty', [{ title: 'nothing is measured', acts: [used({}), ...begin(2, CPU)] }], { looks: SEEN }),
  scenario('strangers', [{ title: 'of others only', acts: [used({ x: '100m' }), ...begin(2, CPU)] }], { looks: SEEN }),
  scenario(
    'forbidden',
    [
      {
        title: 'refused',
        acts: [
          replace('/apis/metrics.k8s.io/v1beta1/namespaces/$NS/pods', {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: 'not for you',
            reason: 'Forbidden',
            code: 403,
          }),
          ...begin(2, CPU),
        ],
      },
    ],
    { looks: SEEN },
  ),
  scenario(
    'failing',
    [
      { title: 'an answer that says nothing', acts: [saysNothing(500), ...begin(2, CPU)] },
      ...[400, 403, 404, 405, 409, 418, 429, 503, 504].map((code) => ({ title: `with the code ${code}`, acts: [saysNothing(code)] })),
    ],
    {},
  ),
];
