/**
 * The part of a span that is compared with the recorded one: without the intended differences, which
 * trace-deviations.yaml lists.
 */
import type { Json } from '../../replay/json-response';
import type { SpanTree } from '../../replay/requests/span-tree';
import { listOf, mapOf, shape, text } from '../../replay/shape';
import { readTable } from '../read-table';

type Side = 'ours' | 'recorded';

const table = readTable(
  'test/support/deviations/trace-deviations.yaml',
  shape({
    steps: mapOf(shape({ spans: listOf(text), reason: text })),
    spans: shape({ recorded: mapOf(text), ours: mapOf(text) }),
    attributes: mapOf(text),
    events: listOf(shape({ reason: text, names: listOf(text) })),
  }),
);

/** Titles of the steps that have spans on one side only. */
export const DEVIATING_STEPS: readonly string[] = Object.keys(table.steps);

const ignoredEvents = new Set(table.events.flatMap(({ names }) => names));

function comparedAttributes(attributes: SpanTree['attributes']): Json {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => table.attributes[key] === undefined));
}

/** Each event once: a rejected write is retried on a proven state, which repeats its events. */
function comparedEvents(events: SpanTree['events']): Json {
  const names = events.map(([event]) => event).filter((event) => !ignoredEvents.has(event));
  return [...new Set(names)];
}

const isIgnoredSpan = (name: string, side: Side, step: string): boolean =>
  table.spans[side][name] !== undefined || table.steps[step]?.spans.includes(name) === true;

/** `side`: which server sent the span. Children that one server alone sends are left out. */
export function comparableSpan(tree: SpanTree, side: Side, step: string): Json {
  const { name, kind, attributes, events, links = [], status = '', parent = '', children } = tree;
  return {
    name,
    kind,
    attributes: comparedAttributes(attributes),
    events: comparedEvents(events),
    links: [...links],
    status,
    parent,
    children: children.filter((child) => !isIgnoredSpan(child.name, side, step)).map((child) => comparableSpan(child, side, step)),
  };
}

/** Whether a call's trace context is compared. Upstream converts objects for its caches, in traces of their own. */
export const isComparedCall = ({ url }: { readonly url?: string }): boolean =>
  url !== '/convert' && url !== '/authenticate' && url !== '/authorize';
