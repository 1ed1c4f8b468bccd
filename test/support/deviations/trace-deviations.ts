/**
 * The part of a trace that is compared with the recorded one: without the intended differences, which
 * trace-deviations.yaml lists. These are left out here, for all spans and calls: the scope (it names the library), the
 * trace state, the attributes of events, the repetitions of an event in a span, and the calls of three webhooks
 * ({@link isComparedCall}).
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

/** Titles of the steps for which the table lists spans that exist on one side only. */
export const DEVIATING_STEPS: readonly string[] = Object.keys(table.steps);

const ignoredEvents = new Set(table.events.flatMap(({ names }) => names));

function comparedAttributes(attributes: SpanTree['attributes']): Json {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => table.attributes[key] === undefined));
}

/**
 * Names of events, each once: a write that is rejected on the basis of a cached object is retried with the object that the
 * store has, which repeats its events.
 */
function comparedEvents(events: SpanTree['events']): Json {
  const names = events.map(([event]) => event).filter((event) => !ignoredEvents.has(event));
  return [...new Set(names)];
}

const isIgnoredSpan = (name: string, side: Side, step: string): boolean =>
  table.spans[side][name] !== undefined || table.steps[step]?.spans.includes(name) === true;

/**
 * `side`: which server sent the span. `step`: the title of the step that it belongs to. Children that the table lists are
 * left out with their own children; the root of a tree never is.
 */
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

/**
 * Whether a call to a webhook or another server is compared, with its trace context. Not compared are conversions, because
 * upstream also converts objects for its caches, in traces of their own; and authentication and authorization, which the
 * recorded server delegates to webhooks (without a trace context) and the server of the test does not.
 */
export const isComparedCall = ({ url }: { readonly url?: string }): boolean =>
  url !== '/convert' && url !== '/authenticate' && url !== '/authorize';
