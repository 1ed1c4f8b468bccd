/** The hands that flows are dealt: valid, deterministic, and spread evenly over the queues. */
import { assert, integer, property, record, string } from 'fast-check';
import { dealHand } from './shuffle-shard';

/** Any flow, with a deck that has at least as many cards as the hand. */
const anyDeal = record({ flow: string(), deckSize: integer({ min: 12, max: 500 }), handSize: integer({ min: 1, max: 12 }) });

/** The numbers of queues and of queues per flow of the level `workload-low`. */
const DECK_SIZE = 128;
const HAND_SIZE = 6;
const FLOWS = 8_000;

const handsOfUsers = (): readonly (readonly number[])[] =>
  Array.from({ length: FLOWS }, (_, user) => dealHand(`schema\nuser-${user}`, DECK_SIZE, HAND_SIZE));

describe('dealHand', () => {
  it('returns distinct cards of the deck', () => {
    assert(
      property(anyDeal, ({ flow, deckSize, handSize }) => {
        const cards = dealHand(flow, deckSize, handSize);
        expect(new Set(cards).size).toBe(handSize);
        expect(cards.every((card) => Number.isInteger(card) && card >= 0 && card < deckSize)).toBe(true);
      }),
    );
  });

  it('returns every card when the hand is the whole deck', () => {
    const cards = dealHand('a', HAND_SIZE, HAND_SIZE);
    expect([...cards].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('returns the same hand for the same flow', () => {
    assert(
      property(anyDeal, ({ flow, deckSize, handSize }) => {
        expect(dealHand(flow, deckSize, handSize)).toEqual(dealHand(flow, deckSize, handSize));
      }),
    );
  });

  it('uses every card about equally often', () => {
    const counts = new Array<number>(DECK_SIZE).fill(0);
    for (const card of handsOfUsers().flat()) counts[card] = (counts[card] ?? 0) + 1;
    const expected = (FLOWS * HAND_SIZE) / DECK_SIZE;
    expect(Math.min(...counts)).toBeGreaterThan(expected * 0.75);
    expect(Math.max(...counts)).toBeLessThan(expected * 1.25);
  });

  it('rarely gives two flows the same hand', () => {
    const distinctHands = new Set(handsOfUsers().map((cards) => [...cards].sort((a, b) => a - b).join()));
    expect(distinctHands.size).toBeGreaterThan(FLOWS - 5);
  });
});
