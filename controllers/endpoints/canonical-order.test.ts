/** Compares the order in Endpoints with that of upstream's controller. */
import fc from 'fast-check';
import type { CoreV1EndpointSubset } from '../../shared/api/types/generated/members';
import { readRecording } from '../../test/replay/recording';
import { body, listOf, shape, text } from '../../test/replay/shape';
import { compareAddresses, sortSubsets, type Subset } from './canonical-order';

const RECORDED = readRecording('controllers/endpoints-order', body, shape({ service: text, subsets: listOf(body) })).cases;

const subsetOf = ({ ports = [], addresses = [], notReadyAddresses = [] }: CoreV1EndpointSubset): Subset => ({
  ports,
  addresses,
  notReadyAddresses,
});

test.each(RECORDED.map(({ service, subsets }) => [service, subsets.map(subsetOf)] as const))(
  'sortSubsets sorts ports and subsets of the Service %s like the controller of upstream, from any order',
  (_, recorded) => {
    expect(recorded.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (chance) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, key: Number(chance.next().value) }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const subsets = shuffled(recorded).map(({ ports, addresses, notReadyAddresses }) => ({
          ports: shuffled(ports),
          addresses: shuffled(addresses).sort(compareAddresses),
          notReadyAddresses: shuffled(notReadyAddresses).sort(compareAddresses),
        }));
        expect(sortSubsets(subsets)).toEqual(recorded);
      }),
      { numRuns: 20 },
    );
  },
);
