/** What slices need to know of nodes: their zones, and how many CPUs each zone has. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { arrayAt, compareBytes, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { parseQuantity, QuantityFault } from '../../shared/values/quantity';
import { compareNames } from '../runtime/pods';
import { textsAt } from '../service-pods/service';
import type { NodeView } from './endpoints';
import type { ZoneCpus } from './hints';

export class Nodes {
  /** Asked for each pod. */
  private readonly views = new WeakMap<ApiObject, NodeView>();

  constructor(
    private readonly nodes: Pick<Informer, 'get' | 'list'>,
    private readonly prefix: string,
  ) {}

  get(name: string): NodeView | undefined {
    const node = this.nodes.get('', name);
    if (node === undefined) return undefined;
    let view = this.views.get(node);
    if (view === undefined) this.views.set(node, (view = { zone: zoneOf(node.body, this.prefix) }));
    return view;
  }

  /** Of the nodes that take work and are ready; undefined = one of them does not tell its zone or its CPUs. */
  cpus(): ZoneCpus | undefined {
    const cpus = new Map<string, number>();
    // The sum of floating-point numbers depends on the order of the nodes.
    for (const { body } of [...this.nodes.list()].sort(compareNames)) {
      if (!takesWork(body, this.prefix)) continue;
      const zone = zoneOf(body, this.prefix);
      const count = cpusOf(body);
      if (zone === undefined || count === undefined) return undefined;
      cpus.set(zone, (cpus.get(zone) ?? 0) + count);
    }
    return new Map([...cpus].sort(([one], [other]) => compareBytes(one, other)));
  }
}

function zoneOf(body: JsonObject, prefix: string): string | undefined {
  return valueInEitherSpelling(textsAt(objectAt(body, 'metadata'), 'labels'), `topology.${prefix}/zone`);
}

function takesWork(body: JsonObject, prefix: string): boolean {
  const labels = textsAt(objectAt(body, 'metadata'), 'labels');
  if (['control-plane', 'master'].some((role) => valueInEitherSpelling(labels, `node-role.${prefix}/${role}`) !== undefined)) return false;
  const conditions = (arrayAt(objectAt(body, 'status'), 'conditions') ?? []).filter(isObject);
  return conditions.some((condition) => condition['type'] === 'Ready' && condition['status'] === 'True');
}

function cpusOf(body: JsonObject): number | undefined {
  const text = stringAt(objectAt(objectAt(body, 'status'), 'allocatable'), 'cpu');
  if (text === undefined) return undefined;
  try {
    const count = Number(parseQuantity(text).nanos) / 1e9;
    return count > 0 ? count : undefined;
  } catch (error) {
    if (error instanceof QuantityFault) return undefined;
    throw error;
  }
}
