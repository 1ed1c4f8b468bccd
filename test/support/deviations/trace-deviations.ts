/** Intended differences between this server's traces and the recorded ones, and the part of a span that is compared. */
import type { Json } from '../../replay/json-response';
import type { SpanTree } from '../../replay/requests/span-tree';

type Side = 'ours' | 'recorded';

/** By step: spans that exist on one side only. */
export const TRACE_DEVIATIONS: Readonly<Record<string, { readonly spans: readonly string[]; readonly reason: string }>> = {
  'a create of what there is': {
    spans: ['Create etcd3'],
    reason: 'the cache has the object; this is confirmed in the store, and no create is attempted',
  },
  'a get that is not acceptable': { spans: ['SerializeObject'], reason: 'a rejection is serialized like any response' },
  'a path': { spans: ['SerializeObject'], reason: 'the version is serialized like any response' },
  'a pod that is deleted': {
    spans: ['GuaranteedUpdate etcd3', 'etcdserverpb.KV/Txn'],
    reason: 'marking the pod for deletion and deleting it are two store requests',
  },
  'a custom object in another version': { spans: ['HTTP POST'], reason: 'a conversion is part of the request that waits for it' },
};

/** Spans that exist on one side only, in every step, with the reason. */
const IGNORED_SPANS: Readonly<Record<Side, Readonly<Record<string, string>>>> = {
  recorded: {
    'etcdserverpb.KV/Range': 'reads are served from the cache; revision requests to the store are not compared',
    'List(recursive=false) etcd3': 'the newest revision is requested without a list',
  },
  ours: {
    'etcdserverpb.KV/Range': 'as above',
    impersonation: 'a filter that waits gets a span of its own',
    authorization: 'a filter that waits gets a span of its own',
  },
};

/** Attributes that are not compared, with the reason. */
const IGNORED_ATTRIBUTES: Readonly<Record<string, string>> = {
  encoder: 'it names internal components',
  type: 'of objects in storage; it names internal components',
  'audit-id': 'it is set on the span of the handler instead of storage',
  'http.request_content_length': 'of webhook calls: managedFields differ',
  'http.response_content_length': 'responses are compared elsewhere',
  'user_agent.original': 'webhook calls have no User-Agent',
};

/** Events that exist on one side only. */
const IGNORED_EVENTS: ReadonlySet<string> = new Set([
  // Of calls that are one message each way.
  'message',
  // Objects are encoded before a write begins, and are never decoded after it.
  'About to Encode',
  'Encode succeeded',
  'TransformToStorage succeeded',
  'decode succeeded',
  // The response of a webhook is applied without an event of its own.
  'Patch applied',
  // Steps of the cache, which is built differently.
  'Ready',
  'watchCache locked acquired',
  'watchCache fresh enough',
  'Listed items from cache',
  'Resized result',
  'Filtered items',
]);

function comparedAttributes(attributes: SpanTree['attributes']): Json {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => IGNORED_ATTRIBUTES[key] === undefined));
}

/** A rejected write is retried on a proven state, so that steps may repeat. */
function comparedEvents(events: SpanTree['events']): Json {
  const names = events.map(([event]) => event).filter((event) => !IGNORED_EVENTS.has(event));
  return names.filter((event, at) => names.indexOf(event) === at);
}

const isIgnoredSpan = (name: string, side: Side, step: string): boolean =>
  IGNORED_SPANS[side][name] !== undefined || TRACE_DEVIATIONS[step]?.spans.includes(name) === true;

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
