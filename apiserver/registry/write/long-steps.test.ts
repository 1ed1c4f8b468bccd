/** The number of steps, between which a write may yield, in long computations. */
import type { JsonObject } from '../../../shared/values/json';
import { encodeBodyInSteps } from '../../../shared/api/types';
import { compareInSteps } from '../../../shared/patch/apply/compare';
import { mergeShapeOf } from '../../../shared/patch/apply/merge-shape';
import { parseJsonInSteps } from '../../../shared/serialization';
import type { Steps } from '../../../shared/scheduling/steps';
import { refusalStatus, openWriteFixture } from '../../../test/support/store/write-fixture';

const OPTIONS = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'm' } as const;
const WIDE = 100_000;
/** At most this many members are processed in one step. */
const MAX_PER_STEP = 5_000;

function stepsOf<T>(steps: Steps<T>): { readonly count: number; readonly value: T } {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { count, value: step.value };
  }
}

const labels = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
const withLabels = (count: number): JsonObject => ({ metadata: { labels: labels(count) } });

it.each([
  ['labels', 'core.v1.ConfigMap', withLabels(WIDE)],
  ['ports', 'core.v1.Pod', { metadata: {}, spec: { containers: [{ name: 'c', ports: Array(WIDE).fill({ containerPort: 80 }) }] } }],
  ['owned fields', 'core.v1.ConfigMap', { metadata: { managedFields: [{ fieldsV1: ownedFields(WIDE) }] } }],
])('encodeBodyInSteps encodes %s in several steps, with the same result as in one step', (_, type, object: JsonObject) => {
  const { count, value } = stepsOf(encodeBodyInSteps(type, object));
  expect(count).toBeGreaterThan(WIDE / MAX_PER_STEP);
  expect(value.length).toBeGreaterThan(WIDE);
  expect(JSON.parse(value)).toMatchObject(object);
});

function ownedFields(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f:k${n}`, {}]));
}

it('compareInSteps compares an object with many new fields in several steps', () => {
  const { count, value } = stepsOf(compareInSteps(mergeShapeOf('core.v1.ConfigMap'), {}, withLabels(WIDE)));
  expect(count).toBeGreaterThan(WIDE / MAX_PER_STEP);
  expect(value.added).toEqual({ 'f:metadata': { '.': {}, 'f:labels': { '.': {}, ...ownedFields(WIDE) } } });
});

it('encodeBodyInSteps and compareInSteps process an object of usual size in one step', () => {
  expect(stepsOf(encodeBodyInSteps('core.v1.ConfigMap', withLabels(10))).count).toBe(1);
  expect(stepsOf(compareInSteps(mergeShapeOf('core.v1.ConfigMap'), {}, withLabels(10))).count).toBe(1);
});

it('parseJsonInSteps scans, parses and counts a JSON text in three steps', () => {
  expect(stepsOf(parseJsonInSteps(Buffer.from('{"a":1,"a":2}')))).toMatchObject({
    count: 3,
    value: { value: { a: 2 }, duplicates: ['a'] },
  });
});

it('the writer runs the steps of a create once when its name exists', async () => {
  const { writer, cache, context, resource, warnings } = await openWriteFixture();
  const create = (): Promise<unknown> => {
    const value = { metadata: { name: 'x' }, nothing: 1 };
    return writer.create(context, resource('configmaps'), 'ns', { value, duplicates: [], format: 'json' }, OPTIONS);
  };
  await create();
  expect(warnings).toEqual(['unknown field "nothing"']);
  await cache.catchUp();
  expect(await refusalStatus(create())).toMatchObject({ code: 409 });
  expect(warnings).toHaveLength(2);
});
