/**
 * Tests ratcheting validation of workloads: invalid values that are already stored (checked against release 1.31.1,
 * partly with objects written directly to its store).
 */
import type { JsonObject } from '../../shared/values/json';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { featureGates } from '../../shared/cli/feature-gates';
import { cronJob } from './batch/cron-job';
import { daemonSet } from './apps/daemon-set';
import { deployment } from './apps/deployment';
import { podDisruptionBudget } from './policy/disruption-budget';
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

/** The errors of an update. */
const validateUpdate = (strategy: Strategy, object: JsonObject, old: JsonObject): readonly string[] =>
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
  const cronJobWith = (schedule: string, timeZone?: string): JsonObject => ({
    spec: {
      schedule,
      ...(timeZone === undefined ? {} : { timeZone }),
      concurrencyPolicy: 'Allow',
      jobTemplate: { spec: { template: template(NEVER) } },
    },
  });
  const ZONED = 'TZ=UTC * * * * *';

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['accepts an unchanged time zone in the schedule', cronJobWith(ZONED), cronJobWith(ZONED), []],
    [
      'accepts a changed time zone in the schedule when the old schedule has one',
      cronJobWith('CRON_TZ=UTC 5 * * * *'),
      cronJobWith(ZONED),
      [],
    ],
    [
      'rejects a time zone both in the schedule and in timeZone',
      cronJobWith(ZONED, 'UTC'),
      cronJobWith(ZONED),
      [`spec.schedule: Invalid value: "${ZONED}": cannot use both timeZone field and TZ or CRON_TZ in schedule`],
    ],
    [
      'rejects an invalid schedule with a time zone',
      cronJobWith('TZ=UTC x'),
      cronJobWith(ZONED),
      ['spec.schedule: Invalid value: "TZ=UTC x": expected exactly 5 fields, found 1: [x]'],
    ],
    ['accepts an unchanged unknown timeZone', cronJobWith('5 * * * *', 'Nowhere/Lan'), cronJobWith('* * * * *', 'Nowhere/Lan'), []],
    [
      'rejects a changed unknown timeZone',
      cronJobWith('* * * * *', 'Nowhere/Law'),
      cronJobWith('* * * * *', 'Nowhere/Lan'),
      ['spec.timeZone: Invalid value: "Nowhere/Law": unknown time zone Nowhere/Law'],
    ],
    [
      'rejects an invalid schedule even when it is unchanged',
      cronJobWith('99 * * * *'),
      cronJobWith('99 * * * *'),
      ['spec.schedule: Invalid value: "99 * * * *": end of range (99) above maximum (59): 99'],
    ],
  ])('%s', (_title, object, old, errors) => {
    expect(validateUpdate(cronJob, object, old)).toEqual(errors);
  });

  test('rejects a schedule that consists of a time zone only', () => {
    expect(validateUpdate(cronJob, cronJobWith('TZ=UTC'), cronJobWith(ZONED))).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC": expected exactly 5 fields, found 0: []',
    ]);
  });
});

describe('an update with an unchanged invalid selector value', () => {
  const withSelectorValue = (value: string, more: JsonObject = {}): JsonObject => ({
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', value] }] }, template: template(), ...more },
  });
  const onDelete = { updateStrategy: { type: 'OnDelete' } };
  const manualSelector = { manualSelector: true, template: template(NEVER) };

  it.each<[string, Strategy, JsonObject]>([
    ['Deployment', deployment, { strategy: { type: 'Recreate' } }],
    ['ReplicaSet', replicaSet, {}],
    ['StatefulSet', statefulSet, { ...onDelete, podManagementPolicy: 'Parallel' }],
  ])('of a %s is rejected', (_kind, strategy, members) => {
    const valid = withSelectorValue('z', members);
    const invalid = withSelectorValue('-z', members);
    expect(validateUpdate(strategy, invalid, invalid)).not.toEqual([]);
    expect(validateUpdate(strategy, valid, valid)).toEqual([]);
  });

  it.each<[string, Strategy, JsonObject]>([
    ['DaemonSet', daemonSet, onDelete],
    ['Job', job, manualSelector],
    ['PodDisruptionBudget', podDisruptionBudget, {}],
  ])('of a %s is accepted', (_kind, strategy, members) => {
    const invalid = withSelectorValue('-z', members);
    expect(validateUpdate(strategy, invalid, invalid)).toEqual([]);
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
    expect(validateUpdate(job, object, old)).toEqual(errors);
  });
});
