/** What holds autoscalers back: limits, windows and policies. */
import type { Body } from '../reference';
import {
  SEVEN_LEFTOVERS,
  SEVEN_ONLY,
  APPS,
  LOOKS,
  EVENTS,
  deployment,
  scaled,
  scaler,
  changed,
  pods,
  scenario,
  CPU,
  all,
  begin,
} from './autoscaler-steps';
import { create, type Scenario } from './scenario';

const SEEN = [...LOOKS, EVENTS];
const rules = (direction: string, spec: Body): Body => ({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 }, [direction]: spec } });
const policy = (type: string, amount: number, periodSeconds = 1800): Body => ({ type, value: amount, periodSeconds });

export const AUTOSCALER_LIMITS: readonly Scenario[] = [
  scenario(
    'between',
    [
      { title: 'more than may be', acts: [all(2, '400m'), ...begin(2, { ...CPU, maxReplicas: 5 })] },
      { title: 'fewer than may be', acts: [all(2, '10m'), changed({ minReplicas: 3 })] },
      { title: 'paused', acts: [scaled(0)] },
      { title: 'not any more', acts: [scaled(3)] },
    ],
    { looks: SEEN },
  ),
  scenario(
    'measured-refused',
    [
      { title: 'a policy refuses', acts: [all(2, '50m'), ...SEVEN_ONLY, ...begin(2, CPU)] },
      { title: 'more are wanted', acts: [all(2, '100m')] },
      { title: 'seven are', acts: [all(2, '170m')] },
    ],
    { looks: SEEN, leftovers: SEVEN_LEFTOVERS },
  ),
  scenario('rate', [
    { title: 'more than twice as many', acts: [all(3, '500m'), ...deployment(3), ...pods(3), scaler({ ...CPU, maxReplicas: 100 })] },
  ]),
  scenario(
    'window-up',
    [
      {
        title: 'too much for a moment',
        acts: [
          all(2, '200m'),
          ...begin(2, { ...CPU, behavior: { scaleUp: { stabilizationWindowSeconds: 3600, policies: [policy('Pods', 4)] } } }),
        ],
      },
      { title: 'with a wish for fewer', acts: [all(2, '10m')] },
      { title: 'not looked back', acts: [all(2, '200m'), changed({ behavior: { scaleUp: { stabilizationWindowSeconds: 0 } } })] },
    ],
    { looks: SEEN },
  ),
  scenario('window-down', [
    {
      title: 'too little for a moment',
      acts: [all(4, '10m'), ...begin(4, { ...CPU, behavior: { scaleDown: { stabilizationWindowSeconds: 3600 } } })],
    },
    { title: 'not looked back', acts: [changed({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } })] },
  ]),
  scenario(
    'policy-pods-up',
    [
      {
        title: 'two in half an hour',
        acts: [all(2, '400m'), ...begin(2, { ...CPU, ...rules('scaleUp', { policies: [policy('Pods', 2)] }) })],
      },
      { title: 'three', acts: [changed(rules('scaleUp', { policies: [policy('Pods', 3)] }))] },
    ],
    { looks: SEEN },
  ),
  scenario('policy-percent-up', [
    {
      title: 'a tenth',
      acts: [all(5, '400m'), ...begin(5, { ...CPU, maxReplicas: 40, ...rules('scaleUp', { policies: [policy('Percent', 10)] }) })],
    },
    { title: 'a half', acts: [changed(rules('scaleUp', { policies: [policy('Percent', 50)] }))] },
    { title: 'the more of two', acts: [changed(rules('scaleUp', { policies: [policy('Percent', 10), policy('Pods', 6)] }))] },
    {
      title: 'the less of two',
      acts: [changed(rules('scaleUp', { selectPolicy: 'Min', policies: [policy('Percent', 100), policy('Pods', 7)] }))],
    },
    { title: 'none', acts: [changed(rules('scaleUp', { selectPolicy: 'Disabled', policies: [policy('Percent', 500)] }))] },
  ]),
  scenario(
    'policy-pods-down',
    [
      {
        title: 'one in half an hour',
        acts: [
          all(6, '0'),
          ...begin(6, { ...CPU, ...rules('scaleDown', { stabilizationWindowSeconds: 0, policies: [policy('Pods', 1)] }) }),
        ],
      },
      { title: 'two', acts: [changed(rules('scaleDown', { stabilizationWindowSeconds: 0, policies: [policy('Pods', 2)] }))] },
    ],
    { looks: SEEN },
  ),
  scenario('policy-percent-down', [
    {
      title: 'a tenth',
      acts: [
        all(9, '0'),
        ...begin(9, { ...CPU, ...rules('scaleDown', { stabilizationWindowSeconds: 0, policies: [policy('Percent', 10)] }) }),
      ],
    },
    {
      title: 'the less of two',
      acts: [
        changed(
          rules('scaleDown', { stabilizationWindowSeconds: 0, selectPolicy: 'Min', policies: [policy('Percent', 50), policy('Pods', 2)] }),
        ),
      ],
    },
    {
      title: 'the more of two',
      acts: [
        changed(
          rules('scaleDown', { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [policy('Percent', 20), policy('Pods', 3)] }),
        ),
      ],
    },
    {
      title: 'none',
      acts: [changed(rules('scaleDown', { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled', policies: [policy('Percent', 100)] }))],
    },
  ]),
  scenario('both-ways', [
    { title: 'up', acts: [all(4, '75m'), ...begin(4, { ...CPU, ...rules('scaleUp', { policies: [policy('Pods', 2)] }) })] },
    { title: 'down', acts: [all(4, '25m'), changed(rules('scaleDown', { stabilizationWindowSeconds: 0, policies: [policy('Pods', 4)] }))] },
    { title: 'up again', acts: [all(4, '400m'), changed(rules('scaleUp', { policies: [policy('Pods', 2)] }))] },
  ]),
  scenario('new-target', [
    { title: 'one', acts: [all(2, '100m'), ...begin(2, CPU)] },
    {
      title: 'another with the same pods',
      acts: [...deployment(3, 'other'), changed({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } })],
    },
  ]),
  scenario(
    'set',
    [
      {
        title: 'a StatefulSet',
        acts: [
          all(2, '100m'),
          ...pods(2),
          create(`${APPS}/statefulsets`, {
            metadata: { name: 'web' },
            spec: {
              replicas: 2,
              serviceName: 's',
              selector: { matchLabels: { app: 'a' } },
              template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
            },
          }),
          scaler({ ...CPU, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' } }),
        ],
      },
    ],
    { looks: [...LOOKS, { path: `${APPS}/statefulsets`, members: [] }] },
  ),
];
