/**
 * Computes the effective requests or limits of a pod, as upstream does: the sum of its containers and sidecars, or the
 * maximum during initialization if that is larger, plus overhead. Init containers run one after the other; a sidecar
 * (an init container with the restart policy `Always`) keeps running beside all containers that start after it.
 */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../values/json';
import { parseQuantity, type Quantity } from '../values/quantity';
import { addAmounts, raiseToMaximum, type ResourceAmounts } from './amounts';

/** The member of the resource requirements of a container. */
export type AmountKind = 'requests' | 'limits';

/** Throws {@link QuantityError} when an amount is not a quantity. */
export function podResourceAmounts(pod: JsonObject, kind: AmountKind): ResourceAmounts {
  const spec = objectAt(pod, 'spec');
  const total = new Map<string, Quantity>();
  for (const container of containersOf(spec, 'containers')) addAmounts(total, amountsOf(objectAt(container, 'resources'), kind));
  /** The sum of the sidecars that run when the next init container starts. */
  const sidecars = new Map<string, Quantity>();
  /** The most that an init container and the sidecars beside it need together. */
  const initMaximum = new Map<string, Quantity>();
  for (const container of containersOf(spec, 'initContainers')) {
    const amounts = amountsOf(objectAt(container, 'resources'), kind);
    if (stringAt(container, 'restartPolicy') === 'Always') {
      addAmounts(total, amounts);
      addAmounts(sidecars, amounts);
      raiseToMaximum(initMaximum, sidecars);
    } else {
      const running = new Map(sidecars);
      addAmounts(running, amounts);
      raiseToMaximum(initMaximum, running);
    }
  }
  raiseToMaximum(total, initMaximum);
  addOverhead(total, amountsOf(spec, 'overhead'), kind);
  return total;
}

/** Adds overhead to requests of all resources, but to limits only of resources that have a limit already. */
function addOverhead(total: Map<string, Quantity>, overhead: ResourceAmounts, kind: AmountKind): void {
  const limited = [...overhead].filter(([name]) => kind === 'requests' || (total.get(name)?.nanos ?? 0n) > 0n);
  addAmounts(total, new Map(limited));
}

/** Whether no container requests or limits cpu or memory; amounts of 0 do not count. */
export function isBestEffort(pod: JsonObject): boolean {
  const spec = objectAt(pod, 'spec');
  const hasComputeResources = (container: JsonObject): boolean =>
    (['requests', 'limits'] as const).some((kind) => {
      const amounts = amountsOf(objectAt(container, 'resources'), kind);
      return ['cpu', 'memory'].some((name) => (amounts.get(name)?.nanos ?? 0n) > 0n);
    });
  return ![...containersOf(spec, 'containers'), ...containersOf(spec, 'initContainers')].some(hasComputeResources);
}

const containersOf = (spec: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(spec, member) ?? []).filter(isObject);

function amountsOf(holder: JsonObject | undefined, member: string): ResourceAmounts {
  const texts = Object.entries(objectAt(holder, member) ?? {});
  return new Map(texts.flatMap(([name, text]) => (typeof text === 'string' ? [[name, parseQuantity(text)]] : [])));
}
