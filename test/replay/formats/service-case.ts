/**
 * The format `service-cases`: how the API server validates and completes Services. A case is either a change of one of
 * the bases in the head, recorded as a creation (the changed base) and as an update of the stored base, or a sequence
 * of writes of one Service. Names are in canonical spelling; addresses and ports that the server allocates are masked
 * as `*`.
 */
import { isBody, type Body, type Json } from '../json-response';
import { PATTERN_EXPLANATION } from '../normalize/volatile-patterns';
import { anything, body, either, listOf, mapOf, number, oneOf, shape, text, type Checked } from '../shape';

export const isServiceHead = shape({
  format: oneOf('service-cases'),
  /** Flags of the API server without which it responds differently. */
  serverFlags: listOf(text),
  /** Specs by name. */
  bases: mapOf(body),
});
export type ServiceHead = Checked<typeof isServiceHead>;

const isRecordedResponse = shape(
  { code: number },
  {
    /** Where the accepted object differs from the one that was sent, as a merge patch. */
    made: anything,
    causes: listOf(listOf(text)),
    /** The message of a rejection without causes. */
    message: text,
    warnings: listOf(text),
  },
);
export type ServiceResponse = Checked<typeof isRecordedResponse>;

/**
 * `base` is the name of a spec in the head. `change` is a JSON merge patch of that spec, or of the whole object when it
 * has `metadata` or `spec`. The responses `create` and `update` are missing until they are recorded.
 */
const isChange = shape({ title: text, base: text, change: body }, { create: isRecordedResponse, update: isRecordedResponse });
export type ServiceChange = Checked<typeof isChange>;

/**
 * `put`: the stored object with this merge patch in it; `replace`: this object alone; `status`, `status-merge` and
 * `status-apply`: the same at the status subresource; the others are the patches of those names.
 */
const VERBS = ['create', 'put', 'replace', 'json', 'merge', 'strategic', 'apply', 'status', 'status-merge', 'status-apply'] as const;
export type ServiceVerb = (typeof VERBS)[number];

/** `body` is a list of operations for `json`. `answer` is missing until it is recorded. */
const isStep = shape({ verb: oneOf(...VERBS), body: anything }, { answer: isRecordedResponse });
export type ServiceStep = Checked<typeof isStep>;

const isSequence = shape({ steps: listOf(isStep) });
export type ServiceSequence = Checked<typeof isSequence>;

export const isServiceCase = either(isChange, isSequence);

/** The change as a merge patch of the whole object. */
export function objectPatchOf({ change }: ServiceChange): Body {
  return 'metadata' in change || 'spec' in change ? change : { spec: change };
}

/** The writes of a change: its creation, and its update of the stored base. */
export function stepsOfChange(
  head: ServiceHead,
  change: ServiceChange,
): { readonly create: readonly ServiceStep[]; readonly update: readonly ServiceStep[] } {
  const base: Body = { spec: head.bases[change.base] ?? {} };
  const patch = objectPatchOf(change);
  return {
    create: [{ verb: 'create', body: applyMergePatch(base, patch) }],
    update: [
      { verb: 'create', body: base },
      { verb: 'put', body: patch },
    ],
  };
}

/** The requests of a sequence without the responses. Their JSON is the key of deviations. */
export const requestsOf = ({ steps }: ServiceSequence): readonly (readonly [ServiceVerb, Json])[] =>
  steps.map(({ verb, body: sent }) => [verb, sent]);

/** RFC 7396. */
export function applyMergePatch(value: Json | undefined, patch: Body): Body {
  const result: Body = isBody(value) ? { ...value } : {};
  for (const [member, change] of Object.entries(patch)) {
    if (change === null) delete result[member];
    else result[member] = isBody(change) ? applyMergePatch(result[member], change) : change;
  }
  return result;
}

/** The merge patch from one value to another: equal members are left out, missing ones are null. */
function mergePatchBetween(from: Json | undefined, to: Json): Json {
  if (!isBody(from) || !isBody(to)) return to;
  const changes: Body = {};
  for (const member of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const value = to[member];
    if (value === undefined) changes[member] = null;
    else if (JSON.stringify(value) !== JSON.stringify(from[member])) changes[member] = mergePatchBetween(from[member], value);
  }
  return changes;
}

/** What the API server changed of spec and status of the object that was sent. */
export function changesByServer(sent: Json, { spec = null, status = null }: Body): Json {
  const before = isBody(sent) ? { spec: sent['spec'] ?? {}, status: { loadBalancer: {} } } : {};
  return mergePatchBetween(before, { spec, status });
}

/** Addresses in the service ranges of either server (10.96.0.0/16, 10.0.0.0/16, fd00::/108), and node ports from 30000. */
const ALLOCATION = /\b(?:10\.96|10\.0)\.\d{1,3}\.\d{1,3}\b|\bfd00::[0-9a-f:]*[0-9a-f]\b|\b3[0-2]\d{3}\b/g;

/**
 * Masks addresses and node ports that do not occur in the request, because the API server allocated them, and the name
 * of the Service, and shortens explanations of patterns.
 */
export function maskAllocations(response: ServiceResponse, request: unknown, name: string): ServiceResponse {
  const requested = JSON.stringify(request);
  const text = JSON.stringify(response)
    .replaceAll(name, '$NAME')
    .replace(PATTERN_EXPLANATION, '(…)')
    .replace(ALLOCATION, (allocation) => (requested.includes(allocation) ? allocation : '*'))
    .replace(/"(nodePort|healthCheckNodePort)":\*/g, '"$1":"*"');
  const masked: ServiceResponse = JSON.parse(text);
  return masked;
}
