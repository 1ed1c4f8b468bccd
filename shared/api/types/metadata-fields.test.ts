import { STORED_KINDS } from '../kinds';
import { metadataFieldsOf, spellingErrors } from './metadata-fields';

const UPSTREAM = 'kubernetes.io/x';
const NEUTRAL = 'platform.io/x';
const SAME = { [UPSTREAM]: 'a', [NEUTRAL]: 'a' };
const DIFFERENT = { [UPSTREAM]: 'a', [NEUTRAL]: 'b' };
const conflictingFields = (type: string, object: object, old?: object): readonly string[] =>
  spellingErrors({ ...object }, old === undefined ? undefined : { ...old }, metadataFieldsOf(type)).map(({ field }) => field);

test.each(STORED_KINDS.map(({ type }) => type))(
  'spellingErrors reports conflicting spellings in labels and annotations of a %s',
  (type) => {
    expect(conflictingFields(type, { metadata: { labels: DIFFERENT, annotations: DIFFERENT } })).toEqual([
      `metadata.labels[${NEUTRAL}]`,
      `metadata.annotations[${NEUTRAL}]`,
    ]);
    expect(conflictingFields(type, { metadata: { labels: SAME, annotations: { [NEUTRAL]: 'a' } } })).toEqual([]);
  },
);

const template = (labels: object): object => ({ metadata: { labels }, spec: {} });

test.each([
  ['apps.v1.Deployment', { spec: { template: template(DIFFERENT) } }, 'spec.template.metadata'],
  ['core.v1.PodTemplate', { template: template(DIFFERENT) }, 'template.metadata'],
  ['batch.v1.CronJob', { spec: { jobTemplate: template(DIFFERENT) } }, 'spec.jobTemplate.metadata'],
  ['batch.v1.CronJob', { spec: { jobTemplate: { spec: { template: template(DIFFERENT) } } } }, 'spec.jobTemplate.spec.template.metadata'],
  ['apps.v1.StatefulSet', { spec: { volumeClaimTemplates: [{}, template(DIFFERENT)] } }, 'spec.volumeClaimTemplates[1].metadata'],
  [
    'core.v1.Pod',
    { spec: { volumes: [{ ephemeral: { volumeClaimTemplate: template(DIFFERENT) } }] } },
    'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata',
  ],
])('spellingErrors reports conflicting spellings in the templates of a %s', (type, object, path) => {
  expect(conflictingFields(type, object)).toEqual([`${path}.labels[${NEUTRAL}]`]);
});

describe('spellingErrors, with a stored object', () => {
  const labelled = (labels: object): object => ({ metadata: { labels } });
  const stored = { metadata: { labels: DIFFERENT, finalizers: ['example.com/a'] } };

  test('ignores a conflict that the stored object has with the same values', () => {
    expect(conflictingFields('core.v1.Namespace', labelled(DIFFERENT), stored)).toEqual([]);
    const replicaSet = { spec: { template: template(DIFFERENT) } };
    expect(conflictingFields('apps.v1.ReplicaSet', replicaSet, replicaSet)).toEqual([]);
  });

  test.each([UPSTREAM, NEUTRAL])('reports a conflict when the value of %s changes', (key) => {
    expect(conflictingFields('core.v1.Namespace', labelled({ ...DIFFERENT, [key]: 'c' }), stored)).toHaveLength(1);
  });

  test('reports a conflict when the stored object has only one of the spellings', () => {
    expect(conflictingFields('core.v1.Namespace', labelled(DIFFERENT), labelled({ [UPSTREAM]: 'a' }))).toHaveLength(1);
  });
});
