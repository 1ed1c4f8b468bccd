/** Short ways to write down the pods that the reference server is asked about. Asks nothing itself. */
import type { Body, Json } from '../reference';

export type Bodies = Readonly<Record<string, Body>>;

/** A pod that is good but for what is said of its spec. */
export const pod = (spec: Body): Body => ({ spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
export const container = (members: Body): Body => pod({ containers: [{ name: 'c', image: 'i', ...members }] });
export const containers = (...all: Body[]): Body => pod({ containers: all });
export const initContainer = (members: Body): Body => pod({ initContainers: [{ name: 'd', image: 'i', ...members }] });
export const annotated = (annotations: Body, spec: Body = {}): Body => ({ metadata: { annotations }, ...pod(spec) });

export const long = (count: number): Json => ({ $text: 'a', $times: count });

const LONGEST_TITLE = 60;

/** A case for each value, named after what varies and the value, or the value's place where it is long. */
export function each<T extends Json>(title: string, make: (value: T) => Body, values: readonly T[]): Bodies {
  return Object.fromEntries(
    values.map((value, index) => {
      const shown = JSON.stringify(value);
      return [`${title}: ${shown.length > LONGEST_TITLE ? `the ${index}th` : shown}`, make(value)];
    }),
  );
}
