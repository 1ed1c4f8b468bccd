/** The reference server reports the causes that it finds in a Go map, such as labels, in random order. */

/** How often requests are repeated for another order. */
const MAX_ATTEMPTS = 8;

interface Answer {
  readonly causes?: readonly (readonly string[])[];
}

/** Sends requests, and repeats them while nothing but the order of causes differs from the previous answers. */
export async function inPreviousOrder<A extends Answer>(
  send: () => Promise<readonly A[]>,
  previous: readonly (A | undefined)[],
): Promise<readonly A[]> {
  let answers = await send();
  for (let attempt = 1; attempt < MAX_ATTEMPTS && differsInOrder(answers, previous); attempt += 1) answers = await send();
  return answers;
}

function differsInOrder(answers: readonly Answer[], previous: readonly (Answer | undefined)[]): boolean {
  const sorted = (list: readonly (Answer | undefined)[]): string =>
    JSON.stringify(list.map((answer) => ({ ...answer, causes: (answer?.causes ?? []).map(String).sort() })));
  return JSON.stringify(answers) !== JSON.stringify(previous) && sorted(answers) === sorted(previous);
}
