/**
 * Masks in responses what differs between runs: ids, times, versions, allocated addresses, generated names, and the
 * order of unordered lists.
 */
import { PATTERN_EXPLANATION, TIME_PATTERN, UID_PATTERN } from './volatile-patterns';
import { isBody, type Body, type Json } from '../json-response';

/** An age in a table. */
const AGE = /^\d+[smhdy][0-9smhdy]*$/;
/** A time in a printed Go struct. */
const GO_TIME = /(?<=Time: s")\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g;
/** Members with lists that have no order. */
const UNORDERED: ReadonlySet<string> = new Set(['managedFields', 'causes', 'conditions']);
/** A resource version as a member, also in escaped JSON, and in messages with `precondition (7` or `record (7`. */
const VERSION = /(resourceVersion\\*":\\*"|(?:precondition|record) \()\d+/g;
/** The start of an IPv4 or IPv6 address. Cluster IPs are allocated from the range of the server. */
const ADDRESS = /^[0-9a-f]*[.:]/;
/** The suffix of a generated volume name. */
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}\b/g;

/**
 * A copy. `namespace` stands for the generated name of the recorded namespace; `member` is the name under which the
 * value was found.
 */
export function maskVolatileValues(value: Json, namespace: string, member = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => maskVolatileValues(item, namespace, member));
    return UNORDERED.has(member) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (isBody(value)) {
    // The definition of a column, of which this server words the description differently.
    if ('priority' in value && 'description' in value) return { ...value, description: '' };
    const copy: Body = {};
    for (const name of Object.keys(value).sort()) copy[name] = maskVolatileValues(value[name] ?? null, namespace, name);
    return copy;
  }
  if (typeof value !== 'string') return value;
  if ((member === 'resourceVersion' || member === 'continue') && value !== '') return '*';
  if ((member === 'clusterIP' || member === 'clusterIPs') && ADDRESS.test(value)) return '<address>';
  if (member === 'cells' && AGE.test(value)) return '<age>';
  const withoutNamespace = namespace === '' ? value : value.replaceAll(namespace, '$NS');
  return (
    withoutNamespace
      // Go prints differences with one of two kinds of space, at random.
      .replaceAll('\u00a0', ' ')
      .replace(TOKEN_VOLUME, 'kube-api-access-*')
      .replace(UID_PATTERN, '<uid>')
      .replace(TIME_PATTERN, '<time>')
      .replace(GO_TIME, '<time>')
      .replace(VERSION, '$1*')
      .replace(PATTERN_EXPLANATION, '(…)')
  );
}

/** An audit event without the annotations of latency, which depend on the machine. */
export function withoutLatency(event: Body): Body {
  const { annotations } = event;
  if (!isBody(annotations)) return event;
  const keptAnnotations = Object.entries(annotations).filter(([name]) => !name.startsWith('apiserver.latency'));
  const { annotations: _annotations, ...rest } = event;
  return keptAnnotations.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(keptAnnotations) };
}
