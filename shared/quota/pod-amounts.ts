/** What a pod asks for and may use at most, all containers together. Containers that come first run one after the other, those that stay beside all others. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../values/json';
import { parseQuantity, type Quantity } from '../values/quantity';
import { addAmounts, raiseAmounts, type Amounts } from './amounts';

export type AmountKind = 'requests' | 'limits';

export function podAmounts(pod: JsonObject, kind: AmountKind): Amounts {
  const spec = objectAt(pod, 'spec');
  const total = new Map<string, Quantity>();
  for (const container of containersOf(spec, 'containers')) addAmounts(total, amountsOf(objectAt(container, 'resources'), kind));
  const staying = new Map<string, Quantity>();
  const first = new Map<string, Quantity>();
  for (const container of containersOf(spec, 'initContainers')) {
    const amounts = amountsOf(objectAt(container, 'resources'), kind);
    if (stringAt(container, 'restartPolicy') === 'Always') {
      addAmounts(total, amounts);
      addAmounts(staying, amounts);
      raiseAmounts(first, staying);
    } else {
      const together = new Map(staying);
      addAmounts(together, amounts);
      raiseAmounts(first, together);
    }
  }
  raiseAmounts(total, first);
  addOverhead(total, amountsOf(spec, 'overhead'), kind);
  return total;
}

/** What has no limit gets none by its overhead. */
function addOverhead(total: Map<string, Quantity>, overhead: Amounts, kind: AmountKind): void {
  const limited = [...overhead].filter(([name]) => kind === 'requests' || (total.get(name)?.nanos ?? 0n) > 0n);
  addAmounts(total, new Map(limited));
}

/** Whether no container asks for cpu or memory, or is limited in them. */
export function isBestEffort(pod: JsonObject): boolean {
  const spec = objectAt(pod, 'spec');
  const asks = (container: JsonObject): boolean =>
    (['requests', 'limits'] as const).some((kind) => {
      const amounts = amountsOf(objectAt(container, 'resources'), kind);
      return ['cpu', 'memory'].some((name) => (amounts.get(name)?.nanos ?? 0n) > 0n);
    });
  return ![...containersOf(spec, 'containers'), ...containersOf(spec, 'initContainers')].some(asks);
}

const containersOf = (spec: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(spec, member) ?? []).filter(isObject);

function amountsOf(holder: JsonObject | undefined, member: string): Amounts {
  const texts = Object.entries(objectAt(holder, member) ?? {});
  return new Map(texts.flatMap(([name, text]) => (typeof text === 'string' ? [[name, parseQuantity(text)]] : [])));
}
