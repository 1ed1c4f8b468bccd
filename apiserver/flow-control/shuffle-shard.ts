/**
 * Shuffle sharding: deals each flow a few queues by a hash, so that two flows rarely share all their queues.
 * Deterministic: a flow gets the same queues on every server.
 */

/** Returns `size` distinct numbers below `deck`, the number of queues. `size` must not exceed `deck`. */
export function dealHand(flow: string, deck: number, size: number): readonly number[] {
  const cards: number[] = [];
  for (let dealt = 0; dealt < size; dealt += 1) {
    // First the index among the remaining cards, then the card's number in the whole deck.
    let card = hashOf(flow, dealt) % (deck - dealt);
    for (const lower of [...cards].sort((a, b) => a - b)) if (card >= lower) card += 1;
    cards.push(card);
  }
  return cards;
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a with a final mix (MurmurHash3), so that every bit affects small remainders. */
function hashOf(text: string, seed: number): number {
  let hash = OFFSET ^ Math.imul(seed + 1, 0x9e3779b1);
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
