/**
 * The fence of a leader's writes: which term of which Lease they rest on. The client names it in a header, the server compares the Lease in
 * the write's own transaction, so that a leader that was paused for longer than its lease cannot write any more.
 * Only the header's form is here; who compares, and when, is decided by its two users.
 */
import type { JsonObject } from '../../values/json';
import { objectAt, own, stringAt } from '../../values/json';

/** Names the request header. */
export const FENCE_HEADER = 'x-lease-fence';

/** One term of leadership. */
export interface Fence {
  readonly namespace: string;
  /** The Lease's name. */
  readonly name: string;
  /** `spec.holderIdentity` during the term. */
  readonly holder: string;
  /** `spec.leaseTransitions` during the term. */
  readonly transitions: number;
}

/** `namespace/name;transitions;holder`, the holder percent-encoded. */
export function formatFence({ namespace, name, holder, transitions }: Fence): string {
  return `${namespace}/${name};${transitions};${encodeURIComponent(holder)}`;
}

const FORM = /^([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253});(\d{1,15});([A-Za-z0-9%_.!~*'()-]{1,1024})$/;

/** Undefined when the text is not of the form that {@link formatFence} makes. */
export function parseFence(text: string): Fence | undefined {
  const [, namespace, name, transitions, encoded] = FORM.exec(text) ?? [];
  if (namespace === undefined || name === undefined || encoded === undefined) return undefined;
  try {
    return { namespace, name, holder: decodeURIComponent(encoded), transitions: Number(transitions) };
  } catch {
    return undefined;
  }
}

/** Whether the term still runs by what `lease` (a Lease object, or none) says. */
export function isInForce(fence: Fence, lease: JsonObject | undefined): boolean {
  const spec = objectAt(lease, 'spec');
  if (spec === undefined) return false;
  const transitions = own(spec, 'leaseTransitions') ?? 0;
  return stringAt(spec, 'holderIdentity') === fence.holder && transitions === fence.transitions;
}
