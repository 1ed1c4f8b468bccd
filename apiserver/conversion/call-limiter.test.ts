import { StatusError } from '../../shared/api/errors/status';
import { Places } from './call-limiter';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls that end when they are told to. */
function calls(places: Places) {
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const start = (id: number): Promise<number> =>
    places.run(async () => {
      begun.push(id);
      await new Promise<void>((resolve) => ends.push(resolve));
      return id;
    });
  return { ends, begun, start };
}

it('Places runs sixteen calls at a time and queues the others in order', async () => {
  const places = new Places();
  const { begun, ends, start } = calls(places);
  const all = Array.from({ length: 20 }, (_, id) => start(id));
  await settle();
  expect(begun).toHaveLength(16);
  ends.shift()?.();
  await settle();
  expect(begun.slice(16)).toEqual([16]);
  while (ends.length > 0) {
    ends.shift()?.();
    await settle();
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, (_, id) => id));
  expect(begun).toEqual(Array.from({ length: 20 }, (_, id) => id));
  expect(places.isEmpty).toBe(true);
});

it('Places rejects a call with 429 when 1,000 calls wait', async () => {
  const places = new Places();
  const { ends, start } = calls(places);
  const all = Array.from({ length: 1_016 }, (_, id) => start(id));
  const refused = await start(2_000).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StatusError);
  expect(refused).toMatchObject({ code: 429 });
  await settle();
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await settle();
  }
  expect(await Promise.all(all)).toHaveLength(1_016);
});

it('Places releases the slot of a failed call', async () => {
  const places = new Places();
  const failing = Array.from({ length: 17 }, () => places.run(() => Promise.reject(new Error('no'))));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array.from({ length: 17 }, () => 'rejected'));
  expect(await places.run(() => Promise.resolve('yes'))).toBe('yes');
  expect(places.isEmpty).toBe(true);
});
