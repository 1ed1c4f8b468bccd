/** Formats API types as Go structures (`%#v`), as upstream's messages contain them. */
import { arrayAt, isObject, type JsonObject, type JsonValue, objectAt, sortedKeys, stringAt, stringsAt } from './json';
import { quote } from './text/quote';

/** A value that is neither a number nor a string is printed as the number 0. */
export function formatGoIntOrString(value: JsonValue | undefined): string {
  const print = (type: 0 | 1, number: number, text: string): string =>
    `intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${quote(text)}}`;
  return typeof value === 'string' ? print(1, 0, value) : print(0, typeof value === 'number' ? value : 0, '');
}

/** Further bytes are omitted: long messages are cut off at their end, and there is the reason of the error. */
const MAX_PRINTED_BYTES = 2048;

/** @param encoded base64 */
export function formatGoBytes(encoded: string | undefined): string {
  if (encoded === undefined) return '[]byte(nil)';
  const bytes = Buffer.from(encoded.slice(0, MAX_PRINTED_BYTES * 2), 'base64');
  const printed = Array.from(bytes.subarray(0, MAX_PRINTED_BYTES), (byte) => `0x${byte.toString(16)}`);
  return `[]byte{${[...printed, ...(bytes.length > MAX_PRINTED_BYTES ? ['…'] : [])].join(', ')}}`;
}

const DECIMAL_SCALES: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_POWERS: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
/** Number, fraction and suffix: `1.5Gi`, `-3`, `2e3`. */
const QUANTITY = /^([+-]?\d*)(?:\.(\d*))?([a-zA-Z]{0,2}|[eE][+-]?\d+)$/;

/** @param text a valid quantity; its spelling is kept, as in upstream's cached string */
export function formatGoQuantity(text: string): string {
  const { value, scale, format } = readGoQuantity(text);
  const amount = `resource.int64Amount{value:${String(value)}, scale:${scale}}`;
  return `resource.Quantity{i:${amount}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:${quote(text)}, Format:"${format}"}`;
}

/** The number is `value * 10 ** scale`. */
function readGoQuantity(text: string): { readonly value: bigint; readonly scale: number; readonly format: string } {
  const [, whole = '', fraction = '', suffix = ''] = QUANTITY.exec(text) ?? [];
  const digits = BigInt(`${whole}${fraction}` || '0');
  const power = BINARY_POWERS[suffix];
  if (power !== undefined) return { value: digits * 1024n ** BigInt(power), scale: 0, format: 'BinarySI' };
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (exponent !== undefined) return { value: digits, scale: Number(exponent) - fraction.length, format: 'DecimalExponent' };
  return { value: digits, scale: (DECIMAL_SCALES[suffix] ?? 0) - fraction.length, format: 'DecimalSI' };
}

/** `selector`: a LabelSelector. A missing member is printed as nil. */
export function formatGoLabelSelector(selector: JsonObject): string {
  const labels = objectAt(selector, 'matchLabels');
  const expressions = arrayAt(selector, 'matchExpressions')?.filter(isObject);
  const printed =
    expressions === undefined
      ? '(nil)'
      : `{${expressions.map((requirement) => `v1.LabelSelector${formatGoRequirement(requirement)}`).join(', ')}}`;
  return `v1.LabelSelector{MatchLabels:${formatGoStringMap(labels)}, MatchExpressions:[]v1.LabelSelectorRequirement${printed}}`;
}

/** Keys are sorted. `undefined` is Go's nil map. */
export function formatGoStringMap(texts: JsonObject | undefined): string {
  if (texts === undefined) return 'map[string]string(nil)';
  return `map[string]string{${sortedKeys(texts)
    .map((key) => `${quote(key)}:${quote(stringAt(texts, key) ?? '')}`)
    .join(', ')}}`;
}

function formatGoRequirement(requirement: JsonObject): string {
  const key = stringAt(requirement, 'key') ?? '';
  const operator = stringAt(requirement, 'operator') ?? '';
  const values = arrayAt(requirement, 'values') === undefined ? '(nil)' : `{${stringsAt(requirement, 'values').map(quote).join(', ')}}`;
  return `Requirement{Key:${quote(key)}, Operator:${quote(operator)}, Values:[]string${values}}`;
}

/** `term`: a NodeSelectorTerm. A missing member is printed as nil. */
export function formatGoNodeSelectorTerm(term: JsonObject): string {
  const requirements = (member: string): string => {
    const expressions = arrayAt(term, member)?.filter(isObject);
    const printed =
      expressions === undefined
        ? '(nil)'
        : `{${expressions.map((requirement) => `core.NodeSelector${formatGoRequirement(requirement)}`).join(', ')}}`;
    return `[]core.NodeSelectorRequirement${printed}`;
  };
  return `core.NodeSelectorTerm{MatchExpressions:${requirements('matchExpressions')}, MatchFields:${requirements('matchFields')}}`;
}
