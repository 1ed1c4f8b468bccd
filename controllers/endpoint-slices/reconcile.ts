/**
 * Decides which EndpointSlices of an owner to create, update and delete, from its existing slices and its desired
 * endpoints. The functions are pure.
 */
import type { DiscoveryV1Endpoint, DiscoveryV1EndpointSlice } from '../../shared/api/types/generated/members';
import { appendAll } from '../../shared/values/append';
import { equalJson } from '../../shared/values/json';
import { compareNames } from '../runtime/pods';
import type { AddressType, ServiceView } from '../service-pods/service-view';
import { portGroupKey, type Endpoint, type PortGroup } from './desired-endpoints';
import { packEndpoints } from './packing';
import { sliceBody, type EndpointSlice, type SliceContent, type SliceNames, type SliceOwner, type SliceView } from './slice';
import { topologyHints, type TopologyHints, type ZoneCpus } from './topology-hints';

/** Settings that apply to the slices of all owners. */
export interface SliceSettings {
  readonly maxEndpointsPerSlice: number;
  readonly names: SliceNames;
}

/** The existing slices of an owner, and what they should contain. */
export interface SliceState {
  readonly owner: SliceOwner;
  readonly addressTypes: readonly AddressType[];
  readonly topology: ServiceView['topology'];
  /** Whether an owner without endpoints of an address type has a slice without endpoints for it. */
  readonly needsPlaceholder: boolean;
  /** The owner's existing slices that this controller manages. */
  readonly slices: readonly SliceView[];
  /** The desired endpoints. */
  readonly groups: readonly PortGroup[];
  /** When the change that is written happened, RFC 3339; undefined for a change without a time. */
  readonly triggerTime: string | undefined;
  /** Undefined when the nodes lack information, or the topology needs none. */
  readonly cpus: ZoneCpus | undefined;
}

/** The writes to execute, creates first and deletes last, and the hints that they contain. */
export interface SliceActions {
  readonly creates: readonly DiscoveryV1EndpointSlice[];
  /** With the resourceVersion of the slice that was observed. */
  readonly updates: readonly DiscoveryV1EndpointSlice[];
  readonly deletes: readonly EndpointSlice[];
  /** One for each address type. */
  readonly hints: readonly TopologyHints[];
}

/** The actions for one address type. */
interface AddressTypePlan {
  readonly creates: SliceContent[];
  readonly updates: { readonly slice: SliceView; readonly content: SliceContent }[];
  readonly deletes: SliceView[];
}

/** Slices of address types that the owner does not have are deleted. */
export function reconcileSlices(state: SliceState, settings: SliceSettings): SliceActions {
  const { owner, addressTypes, slices, triggerTime } = state;
  const plans: AddressTypePlan[] = [];
  const hints: TopologyHints[] = [];
  for (const addressType of addressTypes) {
    const groups = state.groups.filter((group) => group.addressType === addressType);
    const endpoints = groups.flatMap((group) => group.endpoints);
    const typeHints = topologyHints(addressType, state.topology, endpoints, state.cpus);
    hints.push(typeHints);
    plans.push(reconcileByAddressType(state, settings, { addressType, groups, hints: typeHints }));
  }
  const otherTypes = slices.filter(({ addressType }) => !addressTypes.some((type) => type === addressType));
  const metadata = { owner, names: settings.names, triggerTime };
  const bodyOf = (content: SliceContent, existing?: EndpointSlice): DiscoveryV1EndpointSlice => sliceBody(metadata, content, existing);
  return {
    creates: plans.flatMap(({ creates }) => creates.map((content) => bodyOf(content))),
    updates: plans.flatMap(({ updates }) => updates.map(({ slice, content }) => bodyOf(content, slice.object))),
    deletes: [...otherTypes, ...plans.flatMap(({ deletes }) => deletes)].map(({ object }) => object),
    hints,
  };
}

/** What the slices of one address type should contain. */
interface AddressTypeState {
  readonly addressType: AddressType;
  readonly groups: readonly PortGroup[];
  readonly hints: TopologyHints;
}

function reconcileByAddressType(
  { owner, slices, needsPlaceholder }: SliceState,
  { maxEndpointsPerSlice, names }: SliceSettings,
  { addressType, groups, hints }: AddressTypeState,
): AddressTypePlan {
  const existing = slices.filter((slice) => slice.addressType === addressType).sort((a, b) => compareNames(a.object, b.object));
  const plan: AddressTypePlan = { creates: [], updates: [], deletes: [] };
  const unused = new Set(existing);
  for (const { ports, endpoints } of groups) {
    const key = portGroupKey(addressType, ports);
    const groupSlices = existing.filter((slice) => slice.groupKey === key);
    const bodyOf = (endpoint: Endpoint): DiscoveryV1Endpoint => withHint(endpoint, hints);
    const packing = packEndpoints(groupSlices, endpoints, {
      maxEndpointsPerSlice,
      idsIn: (slice) => [...slice.endpoints.keys()],
      id: ({ id }) => id,
      isUpToDate: (slice, packed) =>
        hasOwnerMetadata(slice, owner, names) &&
        packed.every((endpoint) => isSameEndpoint(slice.endpoints.get(endpoint.id), bodyOf(endpoint))),
    });
    const ranks = new Map(endpoints.map(({ id }, rank) => [id, rank]));
    const rankOf = ({ id }: Endpoint): number => ranks.get(id) ?? 0;
    // Endpoints are written in the order of `endpoints`, whatever order they were packed in.
    const contentOf = ({ endpoints: packed }: { readonly endpoints: readonly Endpoint[] }): SliceContent => ({
      addressType,
      ports,
      endpoints: [...packed].sort((a, b) => rankOf(a) - rankOf(b)).map(bodyOf),
    });
    appendAll(plan.creates, packing.creates.map(contentOf));
    appendAll(
      plan.updates,
      packing.updates.map((update) => ({ slice: update.slice, content: contentOf(update) })),
    );
    for (const slice of groupSlices) unused.delete(slice);
    for (const slice of packing.deletes) unused.add(slice);
  }
  appendAll(plan.deletes, unused);
  if (groups.length === 0 && needsPlaceholder) addPlaceholder(plan, { existing, addressType, owner, names });
  recycleSlices(plan);
  return plan;
}

/** Caches equality: at each sync all but a few endpoints are unchanged. Both bodies are immutable. */
const equalBodies = new WeakMap<DiscoveryV1Endpoint, DiscoveryV1Endpoint>();

function isSameEndpoint(existing: DiscoveryV1Endpoint | undefined, desired: DiscoveryV1Endpoint): boolean {
  if (existing === undefined) return false;
  if (equalBodies.get(existing) === desired) return true;
  const isEqual = equalJson(existing, desired);
  if (isEqual) equalBodies.set(existing, desired);
  return isEqual;
}

/**
 * Whether the slice has the owner, labels and annotations that it should have. The trigger time does not count: it alone
 * is no reason for an update.
 */
function hasOwnerMetadata({ ownerUid, labels, annotations }: SliceView, owner: SliceOwner, { triggerTime }: SliceNames): boolean {
  const { [triggerTime]: _existingTime, ...existing } = annotations;
  const { [triggerTime]: _desiredTime, ...desired } = owner.annotations ?? annotations;
  return ownerUid === owner.uid && equalJson({ ...labels }, { ...owner.labels }) && equalJson(existing, desired);
}

function withHint({ id, body }: Endpoint, { zones }: TopologyHints): DiscoveryV1Endpoint {
  const zone = zones.get(id);
  return zone === undefined ? body : { ...body, hints: { forZones: [{ name: zone }] } };
}

/** An owner without endpoints of an address type. */
interface PlaceholderState {
  /** The existing slices of the address type. */
  readonly existing: readonly SliceView[];
  readonly addressType: AddressType;
  readonly owner: SliceOwner;
  readonly names: SliceNames;
}

/**
 * An owner without endpoints of an address type has one slice without endpoints: clients can distinguish it from an owner
 * that was not reconciled yet.
 */
function addPlaceholder(plan: AddressTypePlan, { existing, addressType, owner, names }: PlaceholderState): void {
  const emptyKey = portGroupKey(addressType, []);
  const placeholder = existing.find((slice) => slice.endpoints.size === 0 && slice.groupKey === emptyKey);
  const content: SliceContent = { addressType, ports: [], endpoints: [] };
  if (placeholder === undefined) {
    plan.creates.push(content);
    return;
  }
  // Without endpoints, the plan deletes all existing slices. The placeholder is kept.
  plan.deletes.splice(plan.deletes.indexOf(placeholder), 1);
  if (!hasOwnerMetadata(placeholder, owner, names)) plan.updates.push({ slice: placeholder, content });
}

/**
 * Updates a slice that would be deleted with the content of a slice that would be created: one request instead of two.
 */
function recycleSlices(plan: AddressTypePlan): void {
  while (plan.creates.length > 0) {
    const slice = plan.deletes.pop();
    const content = slice === undefined ? undefined : plan.creates.pop();
    if (slice === undefined || content === undefined) return;
    plan.updates.push({ slice, content });
  }
}
