/** What a pod asks for and may use at most, all containers together. Containers that come first run one after the other, those that stay beside all others. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../values/json';
import { parseQuantity, type Quantity } from '../values/quantity';
import { addAmounts, raiseToMaximum, type ResourceAmounts } from './amounts';

export type AmountKind = 'requests' | 'limits';

export function podResourceAmounts(pod: JsonObject, kind: AmountKind): ResourceAmounts {
  const spec = objectAt(pod, 'spec');
  const total = new Map<string, Quantity>();
  for (const container of containersOf(spec, 'containers')) addAmounts(total, amountsOf(objectAt(container, 'resources'), kind));
  const sidecars = new Map<string, Quantity>();
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

/** What has no limit gets none by its overhead. */
function addOverhead(total: Map<string, Quantity>, overhead: ResourceAmounts, kind: AmountKind): void {
  const limited = [...overhead].filter(([name]) => kind === 'requests' || (total.get(name)?.nanos ?? 0n) > 0n);
  addAmounts(total, new Map(limited));
}

/** Whether no container asks for cpu or memory, or is limited in them. */
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
