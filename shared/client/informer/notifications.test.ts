import fc from 'fast-check';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { silentLogger } from '../../runtime/logger';
import { apiObject, keyOf, type ApiObject } from '../rest/api-object';
import { Notifications } from './notifications';

test('Notifications merges the pending changes of an object when they exceed waitingBytes', () => {
  const clock = new ManualClock();
  const notifications = new Notifications({ clock, logger: silentLogger, waitingBytes: 1_000 });
  const objects = ['a', 'b', 'c'].map((name) => apiObject({ metadata: { name, uid: name } }));
  for (let round = 0; round < 1_000; round += 1) {
    for (const object of objects) notifications.push(object.name, object, object, 100);
    expect(notifications.waitingBytes).toBeLessThanOrEqual(1_000);
  }
});

test('Notifications drops an object that is added and deleted while the pending changes exceed waitingBytes', () => {
  const notifications = new Notifications({ clock: new ManualClock(), logger: silentLogger, waitingBytes: 0 });
  for (let index = 0; index < 100; index += 1) {
    const object = apiObject({ metadata: { name: `o-${index}`, uid: 'u' } });
    notifications.push(object.name, undefined, object, 10);
    notifications.push(object.name, object, undefined, 10);
    expect(notifications.waitingBytes).toBe(0);
  }
});

test('Notifications delivers consistent steps that end in the final state, whatever changes are merged', async () => {
  const change = fc.record({ key: fc.constantFrom('a', 'b', 'c'), isDeleted: fc.boolean(), bytes: fc.integer({ min: 1, max: 60 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 80 }), fc.integer({ min: 1, max: 400 }), async (changes, bound) => {
      const notifications = new Notifications({ clock: new ManualClock(), logger: silentLogger, waitingBytes: bound });
      const state = new Map<string, ApiObject>();
      const seen = new Map<string, ApiObject>();
      notifications.add(
        {
          added: (object) => {
            expect(seen.has(keyOf(object))).toBe(false);
            seen.set(keyOf(object), object);
          },
          updated: (previous, object) => {
            expect(seen.get(keyOf(object))).toBe(previous);
            seen.set(keyOf(object), object);
          },
          deleted: (last) => expect(seen.delete(keyOf(last))).toBe(true),
        },
        [],
      );
      let version = 0;
      for (const { key, isDeleted, bytes } of changes) {
        const previous = state.get(key);
        if (isDeleted && previous === undefined) continue;
        const current = isDeleted ? undefined : apiObject({ metadata: { name: key, uid: key, resourceVersion: String(version++) } });
        if (current === undefined) state.delete(key);
        else state.set(key, current);
        notifications.push(key, previous, current, bytes);
        if (bytes % 13 === 0) await flushPromises(1);
      }
      await notifications.waitUntilDrained();
      expect(seen).toEqual(state);
      expect(notifications.waitingBytes).toBe(0);
    }),
    { numRuns: 60 },
  );
});
