/** How findings are worded: who set what, in the singular and the plural. */
import { compareBytes } from '../../../shared/values/json';
import type { SecuredContainer, SecuredPod } from './pod';

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export const plural = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);

/** Each once, in order. */
export const sorted = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort(compareBytes);

export const quotedList = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ');

/** `container "a"`, `volumes "a", "b"`. */
export const named = (noun: string, names: readonly string[]): string => `${plural(noun, names.length)} ${quotedList(names)}`;

/** Names of the containers of which it is true. */
export const containersThat = (pod: SecuredPod, does: (container: SecuredContainer) => boolean): readonly string[] =>
  pod.containers.filter(does).map(({ name = '' }) => name);

/** `pod and containers "a", "b"`; undefined when nobody did. */
export function setters(isPod: boolean, containers: readonly string[]): string | undefined {
  const all = [...(isPod ? ['pod'] : []), ...(containers.length === 0 ? [] : [named('container', containers)])];
  return all.length === 0 ? undefined : all.join(' and ');
}

/** One finding about those who set something. */
export const foundOf = (reason: string, who: string | undefined, what: string): Violation | undefined =>
  who === undefined ? undefined : { reason, detail: `${who} ${what}` };
