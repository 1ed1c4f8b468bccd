/** Where our traces are otherwise than the recorded ones on purpose, and what of a span is held to the recording. */
import type { Json } from '../replay/json-response';
import type { SpanTree } from '../replay/span-tree';

type Side = 'ours' | 'recorded';

/** By step: spans that only one side has there, with the reason. */
export const TRACE_DEVIATIONS: Readonly<Record<string, { readonly spans: readonly string[]; readonly reason: string }>> = {
  'a create of what there is': {
    spans: ['Create etcd3'],
    reason: 'the cache knows that there is one; that is confirmed, and nothing is tried',
  },
  'a get that is not acceptable': { spans: ['SerializeObject'], reason: 'a refusal is an answer like others' },
  'a path': { spans: ['SerializeObject'], reason: 'the version is a document like others' },
  'a pod that is deleted': {
    spans: ['GuaranteedUpdate etcd3', 'etcdserverpb.KV/Txn'],
    reason: 'that something is marked first is known when it is stored: both are requests to the store',
  },
  'a custom object in another version': { spans: ['HTTP POST'], reason: 'a conversion is a part of the request that waits for it' },
};

/** Spans that only one side has, with the reason. */
const IGNORED_SPANS: Readonly<Record<Side, Readonly<Record<string, string>>>> = {
  recorded: {
    'etcdserverpb.KV/Range':
      'reads are answered from the cache; how often the store is asked for its revision is not held to the recording',
    'List(recursive=false) etcd3': 'the newest revision is asked for by itself, without a list',
  },
  ours: {
    'etcdserverpb.KV/Range': 'as above',
    impersonation: 'a filter that has to be waited for is told',
    authorization: 'a filter that has to be waited for is told',
  },
};

/** Attributes that are not held to the recording. */
const IGNORED_ATTRIBUTES: Readonly<Record<string, string>> = {
  encoder: 'it names parts of the program',
  type: 'of objects in storage; it names parts of the program',
  'audit-id': 'storage is not told of it here; the handler is',
  'http.request_content_length': 'of webhooks: objects are shown with other managers',
  'http.response_content_length': 'answers are compared elsewhere',
  'user_agent.original': 'webhooks are not told of one',
};

/** Events that only one side has. */
const IGNORED_EVENTS: ReadonlySet<string> = new Set([
  // Of calls that are one message each way.
  'message',
  // Objects are encoded before a write begins, and are never decoded after it.
  'About to Encode',
  'Encode succeeded',
  'TransformToStorage succeeded',
  'decode succeeded',
  // What a webhook has answered is over when it is applied.
  'Patch applied',
  // Steps of a cache of another shape.
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

/** What is refused is tried again on a proven state, so that steps may repeat. */
function comparedEvents(events: SpanTree['events']): Json {
  const names = events.map(([event]) => event).filter((event) => !IGNORED_EVENTS.has(event));
  return names.filter((event, at) => names.indexOf(event) === at);
}

const isIgnoredSpan = (name: string, side: Side, step: string): boolean =>
  IGNORED_SPANS[side][name] !== undefined || TRACE_DEVIATIONS[step]?.spans.includes(name) === true;

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

/** Whether what others are told is held to the recording: upstream converts for its caches, in traces of their own. */
export const isComparedCall = ({ url }: { readonly url?: string }): boolean =>
  url !== '/convert' && url !== '/authenticate' && url !== '/authorize';
