/** What is to be written so that slices say where their owner leads; decided from what is seen, without a server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { appendAll } from '../../shared/values/append';
import { equalJson, type JsonObject } from '../../shared/values/json';
import type { AddressType, ServiceView } from '../service-pods/service';
import { compareNames } from '../runtime/pods';
import { portsKey, type Endpoint, type PortGroup } from './endpoints';
import { hintsFor, type Hints, type ZoneCpus } from './hints';
import { pack } from './packing';
import { sliceObject, type SliceContent, type SliceNames, type SliceOwner, type SliceView } from './slice';

export interface SliceSettings {
  /** Endpoints in a slice at most. */
  readonly most: number;
  readonly names: SliceNames;
}

export interface Seen {
  readonly owner: SliceOwner;
  readonly families: readonly AddressType[];
  readonly topology: ServiceView['topology'];
  /** Whether there is a slice without endpoints where there are none. */
  readonly keepsPlace: boolean;
  /** The owner's slices that this controller made. */
  readonly slices: readonly SliceView[];
  readonly groups: readonly PortGroup[];
  /** When what has changed since the last look began to; undefined = nobody knows. */
  readonly trigger: string | undefined;
  /** Undefined = too little is known of the nodes. */
  readonly cpus: ZoneCpus | undefined;
}

export interface Writes {
  readonly creates: readonly JsonObject[];
  readonly updates: readonly JsonObject[];
  readonly deletes: readonly ApiObject[];
  /** What became of the wish for hints. */
  readonly hints: readonly Hints[];
}

/** What one address type comes to. */
interface Plan {
  readonly creates: SliceContent[];
  readonly updates: { readonly slice: SliceView; readonly content: SliceContent }[];
  readonly deletes: SliceView[];
}

export function reconcileSlices(seen: Seen, settings: SliceSettings): Writes {
  const { owner, families, slices, trigger } = seen;
  const { names } = settings;
  const plans: Plan[] = [];
  const hints: Hints[] = [];
  for (const type of families) {
    const groups = seen.groups.filter((group) => group.type === type);
    const told = hintsFor(
      type,
      seen.topology,
      groups.flatMap(({ endpoints }) => endpoints),
      seen.cpus,
    );
    hints.push(told);
    plans.push(planFor(seen, type, groups, told, settings));
  }
  const others = slices.filter(({ type }) => !families.some((family) => family === type));
  const write = (content: SliceContent, present?: ApiObject): JsonObject => sliceObject(owner, content, names, trigger, present);
  return {
    creates: plans.flatMap(({ creates }) => creates.map((content) => write(content))),
    updates: plans.flatMap(({ updates }) => updates.map(({ slice, content }) => write(content, slice.object))),
    deletes: [...others, ...plans.flatMap(({ deletes }) => deletes)].map(({ object }) => object),
    hints,
  };
}

function planFor(
  { owner, slices, keepsPlace }: Seen,
  type: AddressType,
  groups: readonly PortGroup[],
  hints: Hints,
  { most, names }: SliceSettings,
): Plan {
  const own = slices.filter((slice) => slice.type === type).sort((one, other) => compareNames(one.object, other.object));
  const plan: Plan = { creates: [], updates: [], deletes: [] };
  const left = new Set(own);
  for (const { ports, endpoints } of groups) {
    const key = portsKey(type, ports);
    const mine = own.filter((slice) => slice.portsKey === key);
    const objectOf = (endpoint: Endpoint): JsonObject => hinted(endpoint, hints);
    const isCurrent = (slice: SliceView, held: readonly Endpoint[]): boolean =>
      isOwn(slice, owner, names) && held.every((endpoint) => says(slice.endpoints.get(endpoint.id), objectOf(endpoint)));
    const packing = pack(mine, endpoints, { most, held: ({ endpoints: held }) => [...held.keys()], id: ({ id }) => id, isCurrent });
    const ranks = new Map(endpoints.map(({ id }, rank) => [id, rank]));
    const rankOf = ({ id }: Endpoint): number => ranks.get(id) ?? 0;
    // Endpoints are written in the order of `endpoints`, whatever order they were packed in.
    const content = ({ endpoints: packed }: { readonly endpoints: readonly Endpoint[] }): SliceContent => ({
      type,
      ports,
      endpoints: [...packed].sort((one, other) => rankOf(one) - rankOf(other)).map(objectOf),
    });
    appendAll(plan.creates, packing.creates.map(content));
    appendAll(
      plan.updates,
      packing.updates.map((update) => ({ slice: update.slice, content: content(update) })),
    );
    for (const slice of mine) left.delete(slice);
    for (const slice of packing.deletes) left.add(slice);
  }
  appendAll(plan.deletes, left);
  if (groups.length === 0 && keepsPlace) keepPlace(plan, own, type, owner, names);
  reuse(plan);
  return plan;
}

/** What was found to say what: all but a few endpoints of a slice are looked at again unchanged. Neither ever changes. */
const known = new WeakMap<JsonObject, JsonObject>();

function says(present: JsonObject | undefined, wanted: JsonObject): boolean {
  if (present === undefined) return false;
  if (known.get(present) === wanted) return true;
  const isSame = equalJson(present, wanted);
  if (isSame) known.set(present, wanted);
  return isSame;
}

/** Whether it bears what its owner's slices are to bear; when it was triggered does not count. */
function isOwn({ ownerUid, labels, annotations }: SliceView, owner: SliceOwner, { triggerTime }: SliceNames): boolean {
  const { [triggerTime]: _is, ...present } = annotations;
  const { [triggerTime]: _wanted, ...wanted } = owner.annotations ?? annotations;
  return ownerUid === owner.uid && equalJson({ ...labels }, { ...owner.labels }) && equalJson(present, wanted);
}

function hinted({ id, object }: Endpoint, { zones }: Hints): JsonObject {
  const zone = zones.get(id);
  return zone === undefined ? object : { ...object, hints: { forZones: [{ name: zone }] } };
}

/** An owner without endpoints has one slice without any, so that it can be told from one that nobody has looked at. */
function keepPlace(plan: Plan, own: readonly SliceView[], type: AddressType, owner: SliceOwner, names: SliceNames): void {
  const empty = portsKey(type, []);
  const placeholder = own.find((slice) => slice.endpoints.size === 0 && slice.portsKey === empty);
  if (placeholder === undefined) {
    plan.creates.push({ type, ports: [], endpoints: [] });
    return;
  }
  plan.deletes.splice(plan.deletes.indexOf(placeholder), 1);
  if (!isOwn(placeholder, owner, names)) plan.updates.push({ slice: placeholder, content: { type, ports: [], endpoints: [] } });
}

/** A slice that would go is written in the place of one that would be made: one request instead of two. */
function reuse(plan: Plan): void {
  while (plan.creates.length > 0) {
    const slice = plan.deletes.pop();
    const content = slice === undefined ? undefined : plan.creates.pop();
    if (slice === undefined || content === undefined) return;
    plan.updates.push({ slice, content });
  }
}
