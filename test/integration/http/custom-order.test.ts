/** The order in which custom objects, their lists and events are printed, as test/replay/custom-order.ts recorded it from release 1.31.1. */
import { LOOKS, namesOf, ODD, ORDER_DEFINITION, PATH } from '../../replay/custom/order';
import { casesOf } from '../../replay/recording';
import { anything, shape, text } from '../../replay/shape';
import { call, startFixture, type Fixture } from './fixture';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const place = (path: string): string => path.replace('$NS', 'default');
const recorded = casesOf('custom/order', shape({ path: text, accept: text, names: anything }));

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes' });
  await call(fixture, DEFINITIONS, { method: 'POST', body: JSON.stringify(ORDER_DEFINITION) });
  while ((await call(fixture, place(PATH))).status === 404);
  for (const object of ODD) expect((await call(fixture, place(PATH), { method: 'POST', body: JSON.stringify(object) })).status).toBe(201);
});
afterAll(() => fixture.stop());

test('everything that was asked for is recorded', () => {
  expect(recorded.map(({ path, accept }) => ({ path, accept }))).toEqual(LOOKS);
});

test.each(recorded.map((look) => [`${look.path} ${look.accept}`, look] as const))('%s', async (_title, { path, accept, names }) => {
  const { text: answer } = await call(fixture, place(path), { headers: { accept } });
  expect(namesOf(answer)).toEqual(names);
});
