import { assert, integer, property, string } from 'fast-check';
import { dealHand } from './shuffle-shard';

it('dealHand returns distinct cards of the deck, and the same hand for the same flow', () => {
  assert(
    property(string(), integer({ min: 1, max: 500 }), integer({ min: 1, max: 12 }), (flow, deck, wanted) => {
      const size = Math.min(wanted, deck);
      const cards = dealHand(flow, deck, size);
      expect(new Set(cards).size).toBe(size);
      expect(cards.every((card) => Number.isInteger(card) && card >= 0 && card < deck)).toBe(true);
      expect(dealHand(flow, deck, size)).toEqual(cards);
    }),
  );
});

it('dealHand uses all cards about equally often, and rarely gives two flows the same hand', () => {
  const deck = 64;
  const size = 6;
  const flows = 4000;
  const counts = new Array<number>(deck).fill(0);
  const hands = new Set<string>();
  for (let flow = 0; flow < flows; flow += 1) {
    const cards = dealHand(`schema\nuser-${flow}`, deck, size);
    for (const card of cards) counts[card] = (counts[card] ?? 0) + 1;
    hands.add([...cards].sort((a, b) => a - b).join());
  }
  const expected = (flows * size) / deck;
  expect(Math.min(...counts)).toBeGreaterThan(expected * 0.75);
  expect(Math.max(...counts)).toBeLessThan(expected * 1.25);
  expect(hands.size).toBeGreaterThan(flows - 5);
});
