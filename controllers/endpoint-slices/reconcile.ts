/** What is to be written so that the slices of a Service say where it leads; decided from what is seen, without a server. */
import type { ApiObject } from '../../shared/client/api-object';
import { append } from '../../shared/values/append';
import { equalJson, type JsonObject } from '../../shared/values/json';
import type { AddressType, ServiceView } from '../service-pods/service';
import { portsKey, type Endpoint, type PortGroup } from './endpoints';
import { hintsFor, type Hints, type ZoneCpus } from './hints';
import { pack } from './packing';
import { labelsFor, sliceObject, type SliceContent, type SliceNames, type SliceView } from './slice';

export interface SliceSettings {
  /** Endpoints in a slice at most. */
  readonly most: number;
  readonly names: SliceNames;
}

export interface Seen {
  readonly service: ServiceView;
  /** The Service's slices that this controller made. */
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
  const { service, slices, trigger } = seen;
  const { names } = settings;
  const plans: Plan[] = [];
  const hints: Hints[] = [];
  for (const type of service.families) {
    const groups = seen.groups.filter((group) => group.type === type);
    const told = hintsFor(
      type,
      service.topology,
      groups.flatMap(({ endpoints }) => endpoints),
      seen.cpus,
    );
    hints.push(told);
    plans.push(planFor(seen, type, groups, told, settings));
  }
  const others = slices.filter(({ type }) => !service.families.some((family) => family === type));
  const write = (content: SliceContent, present?: ApiObject): JsonObject => sliceObject(service, content, names, trigger, present);
  return {
    creates: plans.flatMap(({ creates }) => creates.map((content) => write(content))),
    updates: plans.flatMap(({ updates }) => updates.map(({ slice, content }) => write(content, slice.object))),
    deletes: [...others, ...plans.flatMap(({ deletes }) => deletes)].map(({ object }) => object),
    hints,
  };
}

function planFor(
  { service, slices }: Seen,
  type: AddressType,
  groups: readonly PortGroup[],
  hints: Hints,
  { most, names }: SliceSettings,
): Plan {
  const own = slices.filter((slice) => slice.type === type);
  const labels = labelsFor(service, names);
  const plan: Plan = { creates: [], updates: [], deletes: [] };
  const left = new Set(own);
  for (const { ports, endpoints } of groups) {
    const key = portsKey(type, ports);
    const mine = own.filter((slice) => slice.portsKey === key);
    const objectOf = (endpoint: Endpoint): JsonObject => hinted(endpoint, hints);
    const isCurrent = (slice: SliceView, held: readonly Endpoint[]): boolean =>
      isOwn(slice, service, labels) && held.every((endpoint) => equalJson(objectOf(endpoint), slice.endpoints.get(endpoint.id) ?? null));
    const packing = pack(mine, endpoints, { most, held: ({ endpoints: held }) => [...held.keys()], id: ({ id }) => id, isCurrent });
    const content = ({ endpoints: packed }: { readonly endpoints: readonly Endpoint[] }): SliceContent => ({
      type,
      ports,
      endpoints: packed.map(objectOf),
    });
    append(plan.creates, packing.creates.map(content));
    append(
      plan.updates,
      packing.updates.map((update) => ({ slice: update.slice, content: content(update) })),
    );
    for (const slice of mine) left.delete(slice);
    for (const slice of packing.deletes) left.add(slice);
  }
  append(plan.deletes, left);
  if (groups.length === 0) keepPlace(plan, own, type, service, labels);
  reuse(plan);
  return plan;
}

const isOwn = (slice: SliceView, service: ServiceView, labels: Readonly<Record<string, string>>): boolean =>
  slice.ownerUid === service.uid && equalJson({ ...slice.labels }, { ...labels });

function hinted({ id, object }: Endpoint, { zones }: Hints): JsonObject {
  const zone = zones.get(id);
  return zone === undefined ? object : { ...object, hints: { forZones: [{ name: zone }] } };
}

/** A Service without endpoints has one slice without any, so that it can be told from one that nobody has looked at. */
function keepPlace(
  plan: Plan,
  own: readonly SliceView[],
  type: AddressType,
  service: ServiceView,
  labels: Readonly<Record<string, string>>,
): void {
  const empty = portsKey(type, []);
  const placeholder = own.find((slice) => slice.endpoints.size === 0 && slice.portsKey === empty);
  if (placeholder === undefined) {
    plan.creates.push({ type, ports: [], endpoints: [] });
    return;
  }
  plan.deletes.splice(plan.deletes.indexOf(placeholder), 1);
  if (!isOwn(placeholder, service, labels)) plan.updates.push({ slice: placeholder, content: { type, ports: [], endpoints: [] } });
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
