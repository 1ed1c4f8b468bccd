/** Changes of recorded states, for the intended differences of a replay. None changes its argument. */
import { isBody, type Body, type Json } from '../../replay/json-response';
import type { ObservedState } from '../../replay/scenarios/scenario';

/** Replaces a text everywhere in the JSON of the state. */
export function replaceText(state: ObservedState, text: string | RegExp, replacement: string): ObservedState {
  const changed: ObservedState = JSON.parse(JSON.stringify(state).replaceAll(text, () => replacement));
  return changed;
}

/** Replaces the objects with a name; `collection` is their path in the state, all collections when absent. */
export function changeNamed(
  state: ObservedState,
  { name, collection }: { readonly name: string; readonly collection?: string },
  change: (object: Body) => Json,
): ObservedState {
  const changeObject = (object: Json): Json => (isBody(object) && nameOf(object) === name ? change(object) : object);
  const entries = Object.entries(state).map(([path, objects]) => [
    path,
    collection === undefined || path === collection ? objects.map(changeObject) : objects,
  ]);
  return Object.fromEntries(entries);
}

/** Removes the objects with these names from all collections. */
export function withoutNamed(state: ObservedState, names: readonly string[]): ObservedState {
  const isKept = (object: Json): boolean => !names.includes(nameOf(object) ?? '');
  return Object.fromEntries(Object.entries(state).map(([path, objects]) => [path, objects.filter(isKept)]));
}

/** The `metadata.name`; `undefined` for values without one. */
function nameOf(object: Json): string | undefined {
  const metadata = isBody(object) ? object['metadata'] : undefined;
  return isBody(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : undefined;
}
