/** Jobs and their pods, as long as these do what they should. The steps play the kubelet. */
import { changed, job, JOB, JOB_EVENTS, JOB_FOLDER, JOB_LOOKS, podTemplate, runs, succeeds } from './job-steps';
import { create, patch, remove, type Scenario, type ScenarioStep } from './scenario';

const A = { app: 'a' };
/** Nothing is told in Events of pods that are found or let go. */
const QUIET = JOB_LOOKS.slice(0, 2);

const scenario = (name: string, steps: readonly ScenarioStep[], looks = JOB_LOOKS): Scenario => ({
  name: `job-${name}`,
  looks,
  steps: steps.map((step) => ({ restMs: 4_000, ...step })),
});

export const JOBS: readonly Scenario[] = [
  scenario('life', [
    { title: 'two at a time of three', acts: [job({ completions: 3, parallelism: 2 })] },
    { title: 'they run', acts: [runs('*!')] },
    { title: 'one has done its work', acts: [succeeds('*!1')] },
    { title: 'the others have', acts: [succeeds('*!')] },
    { title: 'deleted', acts: [remove(JOB, { propagationPolicy: 'Background' })] },
  ]),
  scenario('single', [
    { title: 'one pod, by default', acts: [job({})] },
    { title: 'it has done its work', acts: [succeeds('*!')] },
    { title: 'it is deleted', acts: [remove('pods/*')] },
    { title: 'the Job is orphaned', acts: [remove(JOB, { propagationPolicy: 'Orphan' })] },
  ]),
  scenario('queue', [
    { title: 'three pods without a count', acts: [job({ parallelism: 3 })] },
    { title: 'one has done its work', acts: [succeeds('*!1')] },
    { title: 'all have', acts: [succeeds('*!')] },
  ]),
  scenario('none', [
    { title: 'nothing to do', acts: [job({ completions: 0 })] },
    {
      title: 'nobody to do it',
      acts: [create(JOB_FOLDER, { metadata: { name: 'k' }, spec: { completions: 2, parallelism: 0, template: podTemplate() } })],
    },
    { title: 'somebody', acts: [patch(`${JOB_FOLDER}/k`, { spec: { parallelism: 5 } })] },
    { title: 'nobody again', acts: [patch(`${JOB_FOLDER}/k`, { spec: { parallelism: 0 } })] },
  ]),
  scenario(
    'indexed',
    [
      {
        title: 'pods with indexes',
        acts: [
          job({
            completions: 5,
            parallelism: 4,
            completionMode: 'Indexed',
            template: podTemplate(
              {
                automountServiceAccountToken: false,
                serviceAccountName: 'default',
                initContainers: [{ name: 'b', image: 'i', env: [{ name: 'OWN', value: 'v' }] }],
                containers: [
                  { name: 'c', image: 'i' },
                  { name: 'd', image: 'i', env: [{ name: 'JOB_COMPLETION_INDEX', value: 'own' }] },
                ],
              },
              { annotations: { note: 'n' }, labels: A, finalizers: ['a.example.com/f'] },
            ),
          }),
        ],
      },
    ],
    [{ path: JOB_FOLDER, members: ['status'] }, { path: 'pods', members: ['spec'] }, JOB_EVENTS],
  ),
  scenario('index-life', [
    { title: 'three of five', acts: [job({ completions: 5, parallelism: 3, completionMode: 'Indexed' })] },
    { title: 'the first has done its work', acts: [succeeds('j-0-*')] },
    { title: 'the third has', acts: [succeeds('j-2-*')] },
    { title: 'the second has', acts: [succeeds('j-1-*')] },
    { title: 'all have', acts: [succeeds('*!')] },
  ]),
  scenario('suspended', [
    { title: 'made suspended', acts: [job({ suspend: true, parallelism: 2 })] },
    { title: 'resumed', acts: [changed({ suspend: false })] },
    { title: 'one has done its work', acts: [runs('*!'), succeeds('*!1')] },
    { title: 'suspended again', acts: [changed({ suspend: true })] },
    { title: 'and resumed', acts: [changed({ suspend: false })] },
    { title: 'all have done their work', acts: [succeeds('*!')] },
  ]),
  scenario('suspended-of-two', [
    { title: 'one of two', acts: [job({ completions: 2 })] },
    { title: 'has done its work', acts: [succeeds('*!')] },
    { title: 'suspended', acts: [changed({ suspend: true })] },
    { title: 'another template, and resumed', acts: [changed({ suspend: false, parallelism: 3 })] },
    { title: 'the other has done its work', acts: [succeeds('*!')] },
  ]),
  scenario('parallelism', [
    { title: 'three of six', acts: [job({ completions: 6, parallelism: 3 })] },
    { title: 'one runs', acts: [runs('*!1')] },
    { title: 'one at a time', acts: [changed({ parallelism: 1 })] },
    { title: 'four', acts: [changed({ parallelism: 4 })] },
    { title: 'all there are', acts: [changed({ parallelism: 9 })] },
  ]),
  scenario('elastic', [
    { title: 'three', acts: [job({ completions: 3, parallelism: 3, completionMode: 'Indexed' })] },
    { title: 'the last has done its work', acts: [succeeds('j-2-*')] },
    { title: 'two', acts: [changed({ completions: 2, parallelism: 2 })] },
    { title: 'four', acts: [changed({ completions: 4, parallelism: 4 })] },
    { title: 'all have done their work', acts: [succeeds('*!')] },
  ]),
  scenario('success-indexes', [
    {
      title: 'two that count',
      acts: [job({ completions: 4, parallelism: 4, completionMode: 'Indexed', successPolicy: { rules: [{ succeededIndexes: '1,3' }] } })],
    },
    { title: 'one has done its work', acts: [runs('*!'), succeeds('j-1-*')] },
    { title: 'both have', acts: [succeeds('j-3-*')] },
  ]),
  scenario('success-count', [
    {
      title: 'two of some',
      acts: [
        job({
          completions: 4,
          parallelism: 4,
          completionMode: 'Indexed',
          successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 2 }, { succeededCount: 3 }] },
        }),
      ],
    },
    { title: 'are not yet done', acts: [succeeds('j-0-*'), succeeds('j-3-*')] },
    { title: 'are done', acts: [succeeds('j-2-*')] },
  ]),
  scenario(
    'claims',
    [
      {
        title: 'pods that are there',
        acts: ['p', 'q'].map((name) =>
          create('pods', {
            metadata: { name, labels: { app: name === 'p' ? 'a' : 'b' } },
            spec: { containers: [{ name: 'c', image: 'i' }] },
          }),
        ),
      },
      {
        title: 'are taken in',
        acts: [
          job({
            parallelism: 2,
            completions: 3,
            manualSelector: true,
            selector: { matchLabels: A },
            template: podTemplate({}, { labels: A }),
          }),
        ],
      },
      { title: 'one leaves by its labels', acts: [patch('pods/p', { metadata: { labels: { app: 'x' } } })] },
      { title: 'one that serves comes in, and another is too many', acts: [runs('q'), patch('pods/q', { metadata: { labels: A } })] },
    ],
    QUIET,
  ),
  scenario('foreground', [
    { title: 'two pods', acts: [job({ parallelism: 2, completions: 4 })] },
    { title: 'deleted before them', acts: [remove(JOB, { propagationPolicy: 'Foreground' })] },
  ]),
  scenario('orphaning', [
    { title: 'two pods', acts: [job({ parallelism: 2, completions: 4 })] },
    { title: 'one has done its work', acts: [succeeds('*!1')] },
    { title: 'deleted without them', acts: [remove(JOB, { propagationPolicy: 'Orphan' })] },
  ]),
];
