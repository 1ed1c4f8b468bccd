/** Violations of a control, and the wording that the controls share. */
import { compareBytes } from '../../../../shared/values/json';
import type { SecuredContainer, SecuredPod } from './secured-pod';

/** A violation of one control. Messages show both members as `reason (detail)`. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** `volume` for a count of 1, else `volumes`. */
export const plural = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);

/** Without duplicates, in byte order. */
export const sortedUnique = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort(compareBytes);

/** `"a", "b"`. */
export const quotedList = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ');

/** `container "a"`, `volumes "a", "b"`. */
export const nounWithNames = (noun: string, names: readonly string[]): string => `${plural(noun, names.length)} ${quotedList(names)}`;

/** Names of the matching containers. */
export const containersWhere = (pod: SecuredPod, matches: (container: SecuredContainer) => boolean): readonly string[] =>
  pod.containers.filter(matches).map(({ name = '' }) => name);

/** Where a field is set: on the pod itself, and in the containers of these names. */
interface FieldSetters {
  readonly isSetOnPod: boolean;
  readonly containers: readonly string[];
}

/** `pod and containers "a", "b"`; `undefined` when neither the pod nor a container set the field. */
export function settersText({ isSetOnPod, containers }: FieldSetters): string | undefined {
  const setters = [...(isSetOnPod ? ['pod'] : []), ...(containers.length === 0 ? [] : [nounWithNames('container', containers)])];
  return setters.length === 0 ? undefined : setters.join(' and ');
}

/** The violation `reason (setBy message)`, where `setBy` is from {@link settersText}; `undefined` when `setBy` is. */
export const violationBy = (reason: string, setBy: string | undefined, message: string): Violation | undefined =>
  setBy === undefined ? undefined : { reason, detail: `${setBy} ${message}` };
