/** Tests ratcheting validation of workloads: invalid values that are already stored (checked against release 1.31.1, partly with objects planted in its store). */
import type { JsonObject } from '../../shared/values/json';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { featureGates } from '../../shared/cli/feature-gates';
import { cronJob } from './batch/cron-job';
import { daemonSet } from './apps/daemon-set';
import { deployment } from './apps/deployment';
import { disruptionBudget } from './policy/disruption-budget';
import { job } from './batch/job';
import { replicaSet } from './apps/replica-set';
import { statefulSet } from './apps/stateful-set';
import type { Strategy, StrategyContext } from '../registry/strategy';

const context: StrategyContext = {
  names: GENERATED_NAMES.platform,
  user: { name: 'u', groups: [] },
  now: 0,
  serviceFamilies: ['IPv4'],
  warn: () => undefined,
  gates: featureGates(),
};

const wrong = (strategy: Strategy, object: JsonObject, old: JsonObject): readonly string[] =>
  (strategy.update?.validate?.(object, old, context) ?? []).map(({ field, body }) => `${field}: ${body}`);

const container: JsonObject = {
  name: 'c',
  image: 'i',
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const template = (members: JsonObject = {}): JsonObject => ({
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [container],
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 's',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    ...members,
  },
});
const NEVER = { restartPolicy: 'Never' };

describe('an update of a CronJob', () => {
  const due = (schedule: string, timeZone?: string): JsonObject => ({
    spec: {
      schedule,
      ...(timeZone === undefined ? {} : { timeZone }),
      concurrencyPolicy: 'Allow',
      jobTemplate: { spec: { template: template(NEVER) } },
    },
  });
  const ZONED = 'TZ=UTC * * * * *';

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['accepts an unchanged time zone in the schedule', due(ZONED), due(ZONED), []],
    ['accepts a changed time zone in the schedule when the old schedule has one', due('CRON_TZ=UTC 5 * * * *'), due(ZONED), []],
    [
      'rejects a time zone both in the schedule and in timeZone',
      due(ZONED, 'UTC'),
      due(ZONED),
      [`spec.schedule: Invalid value: "${ZONED}": cannot use both timeZone field and TZ or CRON_TZ in schedule`],
    ],
    [
      'rejects an invalid schedule with a time zone',
      due('TZ=UTC x'),
      due(ZONED),
      ['spec.schedule: Invalid value: "TZ=UTC x": expected exactly 5 fields, found 1: [x]'],
    ],
    ['accepts an unchanged unknown timeZone', due('5 * * * *', 'Nowhere/Lan'), due('* * * * *', 'Nowhere/Lan'), []],
    [
      'rejects a changed unknown timeZone',
      due('* * * * *', 'Nowhere/Law'),
      due('* * * * *', 'Nowhere/Lan'),
      ['spec.timeZone: Invalid value: "Nowhere/Law": unknown time zone Nowhere/Law'],
    ],
    [
      'rejects an invalid schedule even when it is unchanged',
      due('99 * * * *'),
      due('99 * * * *'),
      ['spec.schedule: Invalid value: "99 * * * *": end of range (99) above maximum (59): 99'],
    ],
  ])('%s', (_title, object, old, errors) => {
    expect(wrong(cronJob, object, old)).toEqual(errors);
  });

  test('rejects a schedule that consists of a time zone only', () => {
    expect(wrong(cronJob, due('TZ=UTC'), due(ZONED))).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC": expected exactly 5 fields, found 0: []',
    ]);
  });
});

describe('an update with an unchanged invalid selector value', () => {
  const selecting = (value: string, more: JsonObject = {}): JsonObject => ({
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', value] }] }, template: template(), ...more },
  });
  const rolling = { updateStrategy: { type: 'OnDelete' } };
  const byHand = { manualSelector: true, template: template(NEVER) };

  it.each<[string, Strategy, JsonObject, boolean]>([
    ['Deployment', deployment, { strategy: { type: 'Recreate' } }, false],
    ['ReplicaSet', replicaSet, {}, false],
    ['StatefulSet', statefulSet, { ...rolling, podManagementPolicy: 'Parallel' }, false],
    ['DaemonSet', daemonSet, rolling, true],
    ['Job', job, byHand, true],
    ['PodDisruptionBudget', disruptionBudget, {}, true],
  ])('of a %s is rejected, or accepted for kinds with lenient selectors', (_kind, strategy, more, isBorne) => {
    const errors = wrong(strategy, selecting('-z', more), selecting('-z', more));
    expect(errors.length === 0).toBe(isBorne);
    expect(wrong(strategy, selecting('z', more), selecting('z', more))).toEqual([]);
  });
});

describe('an update of the template of a suspended Job', () => {
  const suspended = (members: JsonObject, status: JsonObject = {}): JsonObject => ({
    spec: { suspend: true, manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: template({ ...NEVER, ...members }) },
    status,
  });
  const IMMUTABLE = [expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/)];
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
  };
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', labelSelector: {} }] };

  it.each<[string, JsonObject, JsonObject, readonly unknown[]]>([
    ['accepts an added nodeAffinity', suspended({ affinity: { nodeAffinity } }), suspended({}), []],
    ['accepts a removed nodeAffinity', suspended({}), suspended({ affinity: { nodeAffinity } }), []],
    [
      'accepts a removed nodeAffinity beside an unchanged podAffinity',
      suspended({ affinity: { podAffinity } }),
      suspended({ affinity: { podAffinity, nodeAffinity } }),
      [],
    ],
    ['rejects an added podAffinity', suspended({ affinity: { podAffinity } }), suspended({}), IMMUTABLE],
    ['rejects a removed podAffinity', suspended({}), suspended({ affinity: { podAffinity } }), IMMUTABLE],
    ['rejects a nodeName', suspended({ nodeName: 'x' }), suspended({}), IMMUTABLE],
    ['accepts an added nodeSelector', suspended({ nodeSelector: { a: 'b' } }), suspended({}), []],
    [
      'rejects an added nodeSelector after the Job started',
      suspended({ nodeSelector: { a: 'b' } }),
      suspended({}, { startTime: '2026-01-01T00:00:00Z' }),
      IMMUTABLE,
    ],
  ])('%s', (_title, object, old, errors) => {
    expect(wrong(job, object, old)).toEqual(errors);
  });
});
