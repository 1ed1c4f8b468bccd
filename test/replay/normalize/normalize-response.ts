/**
 * Removes from responses what differs in each run, and from messages what the reference server prints in Go syntax and
 * this server as JSON.
 */
import { PATTERN_EXPLANATION, UID_PATTERN } from './volatile-patterns';
import { isBody, metadataOf, type Body, type Json } from '../json-response';

/** Removes explanations of patterns, and the diff of Go structs at the end of a rejected change. */
export const shortenPatterns = (text: string): string =>
  text.replace(/^(Forbidden: [^\n]*)\n[^]*$/, '$1').replace(PATTERN_EXPLANATION, '(…)');

/** Types with values that both servers print alike; see shared/values/go-values.ts. */
const PRINTED_ALIKE = [
  'apps.DaemonSetUpdateStrategy',
  'apps.DeploymentStrategy',
  'intstr.IntOrString',
  'map[string]string',
  'resource.Quantity',
  'v1.LabelSelector',
];

/**
 * A value in Go syntax at the start of a message:
 *   `Invalid value: core.Taint{Key:"k"}: …` has `core.Taint{Key:"k"}`
 *   `Duplicate value: (*int32)(0xc00012): …` has a pointer, also `(*int32)(nil)` and `core.Scale(nil)`
 */
const STRUCT =
  /(?<=^(?:Invalid|Duplicate|Unsupported) value: )(?:(?:&?[\w.]*|\[\]byte)\{.*\}|\(\*[\w.]+\)\((?:0x[0-9a-f]+|nil)\)|[\w.]+\(nil\))(?=: |$)/s;

/** Removes the diff of two pod specs, which each server prints in its own format. */
export const withoutDifference = (text: string): string => text.replace(/\n {2}core\.\w+\{\n.*?\n {2}\}\n/s, '');

/** Shortens structs to `{…}` and UIDs to `<uid>`. */
export const shortenStructs = (text: string): string => {
  const short = text.replace(STRUCT, (value) => (PRINTED_ALIKE.some((type) => value.startsWith(type)) ? value : '{…}'));
  return withoutDifference(short).replace(UID_PATTERN, '<uid>');
};

/** Metadata that the server sets, or that names the object of the run. */
const VOLATILE_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields'];

/**
 * An object without its volatile metadata and without these members of its spec; other occurrences of its name and UID
 * are replaced.
 */
export function withoutVolatileFields(object: Body, omittedSpecFields: readonly string[] = []): Body {
  const metadata = metadataOf(object);
  const text = JSON.stringify(object)
    .replaceAll(JSON.stringify(metadata['uid'] ?? null), '"<uid>"')
    .replaceAll(JSON.stringify(metadata['name'] ?? null), '"<name>"')
    .replace(/(?<="lastPhaseTransitionTime":)"[^"]*"/, '"<time>"')
    // The finalizer of namespaces is named after the product.
    .replace(/(?<="finalizers":\[(?:"[^"]*",)*)"(?:kubernetes|platform)"/, '"<product>"');
  const { metadata: maskedMetadata, spec, ...rest }: Body = JSON.parse(text);
  const keptMetadata = without(maskedMetadata, VOLATILE_METADATA);
  const isEmpty = isBody(keptMetadata) && Object.keys(keptMetadata).length === 0;
  return {
    ...(isEmpty ? {} : { metadata: keptMetadata }),
    ...(spec === undefined ? {} : { spec: without(spec, omittedSpecFields) }),
    ...rest,
  };
}

/** The value without these members; null when there is no value. */
function without(value: Json | undefined, members: readonly string[]): Json {
  if (!isBody(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).filter(([member]) => !members.includes(member)));
}
