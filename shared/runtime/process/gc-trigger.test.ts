import { GcTrigger } from './gc-trigger';

it('GcTrigger runs a collection whenever more bytes than its threshold were released', () => {
  let collections = 0;
  const trigger = new GcTrigger(100, () => (collections += 1));
  const after = [60, 40, 1, 100, 1, 1_000].map((bytes) => {
    trigger.addReleased(bytes);
    return collections;
  });
  expect(after).toEqual([0, 0, 1, 1, 2, 3]);
});

it('GcTrigger does nothing when V8 exposes no gc function', () => expect(() => new GcTrigger(1).addReleased(2)).not.toThrow());
