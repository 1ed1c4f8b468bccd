/**
 * Which queues a flow may use: a hand of cards dealt from a deck by a hash, so that two flows seldom share all their queues. The same flow is dealt the same hand
 * always and everywhere.
 */

/** `size` different numbers below `deck`, in an order of their own. */
export function dealHand(flow: string, deck: number, size: number): readonly number[] {
  const hand: number[] = [];
  for (let dealt = 0; dealt < size; dealt += 1) {
    // The card among those that are left; then its number in the whole deck.
    let card = hashOf(flow, dealt) % (deck - dealt);
    for (const taken of [...hand].sort((a, b) => a - b)) if (card >= taken) card += 1;
    hand.push(card);
  }
  return hand;
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a, and a last stirring that lets every bit count in small remainders. */
function hashOf(text: string, seed: number): number {
  let hash = OFFSET ^ Math.imul(seed + 1, 0x9e3779b1);
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
