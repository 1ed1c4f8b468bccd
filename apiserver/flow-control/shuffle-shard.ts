/**
 * Shuffle sharding: deals each flow a few queues by a hash, so that two flows rarely share all their queues.
 * Deterministic: a flow gets the same queues on every server.
 */

/**
 * Returns the queues of a flow: `handSize` distinct numbers below `deckSize`, the number of queues. `handSize` must not
 * exceed `deckSize`.
 */
export function dealHand(flow: string, deckSize: number, handSize: number): readonly number[] {
  const cards: number[] = [];
  for (let dealt = 0; dealt < handSize; dealt += 1) {
    // First the position among the remaining cards, then the card's number in the whole deck: with the cards 1 and 3
    // dealt, position 2 of the remaining 0, 2, 4, 5 … is card 4.
    let card = hashOf(flow, dealt) % (deckSize - dealt);
    for (const lower of [...cards].sort((a, b) => a - b)) if (card >= lower) card += 1;
    cards.push(card);
  }
  return cards;
}

/** The constants of FNV-1a with 32 bits. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** 2³² divided by the golden ratio: its multiples differ in many bits. */
const SEED_FACTOR = 0x9e3779b1;

/** FNV-1a over the UTF-16 units, with a final mix, so that every bit of the text affects small remainders. */
function hashOf(text: string, seed: number): number {
  let hash = FNV_OFFSET ^ Math.imul(seed + 1, SEED_FACTOR);
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  // The steps and constants of MurmurHash3's `fmix32`.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
