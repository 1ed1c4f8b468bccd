/**
 * The fencing token ("fence") of a leader's writes: the Lease and the leadership term that they depend on. The client
 * sends it in a header. The server compares it with the Lease in the transaction of the write, so that a leader that was
 * paused for longer than its lease cannot write any more. Sending it is left to shared/client, reading the Lease in the
 * transaction to apiserver/registry/write.
 */
import type { JsonObject } from '../../values/json';
import { objectAt, ownMember, stringAt } from '../../values/json';

/** Name of the request header. */
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

/** Returns `namespace/name;transitions;holder` with the holder percent-encoded. */
export function formatFence({ namespace, name, holder, transitions }: Fence): string {
  return `${namespace}/${name};${transitions};${encodeURIComponent(holder)}`;
}

/** For example `kube-system/controllers;12;host-1_a1b2`. */
const FENCE_PATTERN = /^([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253});(\d{1,15});([A-Za-z0-9%_.!~*'()-]{1,1024})$/;

/** `undefined` when the text does not have the format of {@link formatFence}. */
export function parseFence(text: string): Fence | undefined {
  const [, namespace, name, transitions, encoded] = FENCE_PATTERN.exec(text) ?? [];
  if (namespace === undefined || name === undefined || encoded === undefined) return undefined;
  try {
    return { namespace, name, holder: decodeURIComponent(encoded), transitions: Number(transitions) };
  } catch {
    return undefined;
  }
}

/**
 * Whether `lease` still records the term of the fence. `lease` is a Lease object, or `undefined` when there is none.
 */
export function isFenceInForce(fence: Fence, lease: JsonObject | undefined): boolean {
  const spec = objectAt(lease, 'spec');
  if (spec === undefined) return false;
  const transitions = ownMember(spec, 'leaseTransitions') ?? 0;
  return stringAt(spec, 'holderIdentity') === fence.holder && transitions === fence.transitions;
}
