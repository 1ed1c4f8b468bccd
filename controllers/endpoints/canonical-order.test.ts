/** Compares the order in Endpoints with that of the reference controller. */
import fc from 'fast-check';
import { arrayAt, isObject, type JsonObject } from '../../shared/values/json';
import { recordingOf } from '../../test/replay/recording';
import { body, listOf, shape, text } from '../../test/replay/shape';
import { byAddress, sortSubsets, type Subset } from './canonical-order';

const RECORDED = recordingOf('controllers/endpoints-order', body, shape({ service: text, subsets: listOf(body) })).cases;

const listAt = (object: JsonObject, member: string): readonly JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

const subsetOf = (object: JsonObject): Subset => ({
  ports: listAt(object, 'ports'),
  ready: listAt(object, 'addresses'),
  unready: listAt(object, 'notReadyAddresses'),
});

test.each(RECORDED.map(({ service, subsets }) => [service, subsets.map(subsetOf)] as const))(
  'inCanonicalOrder sorts addresses, ports and subsets of the Service %s as the reference controller does, from any order',
  (_, recorded) => {
    expect(recorded.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (chance) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, place: Number(chance.next().value) }))
            .sort((one, other) => one.place - other.place)
            .map(({ item }) => item);
        const subsets = shuffled(recorded).map(({ ports, ready, unready }) => ({
          ports: shuffled(ports),
          ready: shuffled(ready).sort(byAddress),
          unready: shuffled(unready).sort(byAddress),
        }));
        expect(sortSubsets(subsets)).toEqual(recorded);
      }),
      { numRuns: 20 },
    );
  },
);
