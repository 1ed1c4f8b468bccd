/**
 * Recorded answers to writes that a kind's rules decide: what the file looks like, for those who make it (test/replay) and those who replay it.
 */
import { UID } from '../replay/new-values';
import type { Body, Json } from '../replay/reference';
import { body, either, listOf, number, oneOf, shape, text, type Check } from '../replay/shape';

/** What a server says to one write. */
export interface RuleAnswer {
  readonly code: number;
  /** Where no causes say what is wrong. */
  readonly message?: string;
  /** Field, reason and message of each cause; the explanations of patterns are shortened to `(…)`. */
  readonly causes?: readonly (readonly string[])[];
  readonly warnings?: readonly string[];
  /** The object that was accepted, without what is new in every run and without the members of {@link asSent}. Absent where it is too long. */
  readonly object?: Body;
  /** The object's members that are just as the body has them. */
  readonly asSent?: readonly string[];
}

export interface RuleCase {
  readonly title: string;
  /** What is stored before an update; absent = the kind's base. */
  readonly old?: Body;
  readonly body: Body;
  readonly create?: RuleAnswer;
  /** `same` as the answer to a create. */
  readonly update?: RuleAnswer | 'same';
  /** To a PUT of the status endpoint. */
  readonly status?: RuleAnswer;
  /** To a PUT of the scale endpoint. */
  readonly scale?: RuleAnswer;
  /** To a PUT of the endpoint of ephemeral containers. */
  readonly ephemeral?: RuleAnswer;
}

/** What all cases of a kind share. */
export interface KindHead {
  readonly resource: string;
  readonly apiVersion: string;
  readonly base: Body;
  /** Members of `spec` that no recorded object has. */
  readonly unrecorded?: readonly string[];
}

export const isKindHead: Check<KindHead> = shape({ resource: text, apiVersion: text, base: body }, { unrecorded: listOf(text) });

const isAnswer: Check<RuleAnswer> = shape(
  { code: number },
  { message: text, causes: listOf(listOf(text)), warnings: listOf(text), object: body, asSent: listOf(text) },
);

export const isRuleCase: Check<RuleCase> = shape(
  { title: text, body },
  { old: body, create: isAnswer, update: either(oneOf('same'), isAnswer), status: isAnswer, scale: isAnswer, ephemeral: isAnswer },
);

/**
 * A body with its abbreviations written out: `{ "$times": 3, "of": x }` as an element of a list is x three times, with `$i` in its texts counting up
 * from 0; `{ "$text": "a", "$times": 70 }` is 70 times that text; `{ "$integer": "9007199254740993" }` is that integer.
 */
export function expand(value: Json): Json {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const times = timesOf(item);
      if (times === undefined || !isRecord(item) || item['of'] === undefined) return [expand(item)];
      return Array.from({ length: times }, (_, index): Json => JSON.parse(JSON.stringify(item['of']).replaceAll('$i', String(index))));
    });
  }
  if (!isRecord(value)) return value;
  const text = value['$text'];
  if (typeof text === 'string') return text.repeat(timesOf(value) ?? 1);
  const integer = value['$integer'];
  if (typeof integer === 'string') return BigInt(integer);
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, expand(inner)]));
}

function timesOf(value: Json): number | undefined {
  const times = isRecord(value) ? value['$times'] : undefined;
  return typeof times === 'number' ? times : undefined;
}

function isRecord(value: Json | undefined): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Explanations of patterns, and what upstream shows of a change: a comparison of Go structures, which we leave out. */
export const shortenPatterns = (text: string): string =>
  text.replace(/(?<=^Forbidden: [^\n]*)\n[^]*$/, '').replace(/\(e\.g\. '[^)]*?regex used for validation is '(?:[^'])*'\)/g, '(…)');

/** Structures that both spell alike; see shared/values/go-values.ts. */
const SPELLED = [
  'apps.DaemonSetUpdateStrategy',
  'apps.DeploymentStrategy',
  'intstr.IntOrString',
  'map[string]string',
  'resource.Quantity',
  'v1.LabelSelector',
];

/** How two specs differ is shown at the end of a cause, by each server in its own way. */
export const withoutDifference = (text: string): string => text.replace(/\n {2}core\.\w+\{\n.*?\n {2}\}\n/s, '');

/**
 * Values in a message that are structures: upstream prints them in Go syntax or as an address, we as JSON. Uids are chance.
 */
export const shortenStructs = (text: string): string => {
  const shown =
    /(?<=^(?:Invalid|Duplicate|Unsupported) value: )(?:(?:&?[\w.]*|\[\]byte)\{.*\}|\(\*[\w.]+\)\((?:0x[0-9a-f]+|nil)\)|[\w.]+\(nil\))(?=: |$)/s;
  const short = text.replace(shown, (value) => (SPELLED.some((type) => value.startsWith(type)) ? value : '{…}'));
  return withoutDifference(short).replace(UID, '<uid>');
};

/** A case's body as it is sent. */
export function namedBody(body: Body, name: string, version?: string): Body {
  const written = expand(body);
  if (!isRecord(written)) throw new Error('no object');
  const metadata = isRecord(written['metadata']) ? written['metadata'] : {};
  const named = metadata['generateName'] === undefined ? { name, ...metadata } : metadata;
  return { ...written, metadata: version === undefined ? named : { resourceVersion: version, ...named } };
}

const CHANCE = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields'];

/** Without what is new in every run, and without the members of `spec` that are not recorded. */
export function withoutChance(object: Body, unrecorded: readonly string[] = []): Body {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const text = JSON.stringify(object)
    .replaceAll(JSON.stringify(metadata['uid'] ?? null), '"<uid>"')
    .replaceAll(JSON.stringify(metadata['name'] ?? null), '"<name>"')
    .replace(/(?<="lastPhaseTransitionTime":)"[^"]*"/, '"<time>"')
    // The finalizer of namespaces is named after the product.
    .replace(/(?<="finalizers":\[(?:"[^"]*",)*)"(?:kubernetes|platform)"/, '"<product>"');
  const { metadata: shown, spec, ...rest }: Body = JSON.parse(text);
  const kept = without(shown, CHANCE);
  return {
    ...(isRecord(kept) && Object.keys(kept).length === 0 ? {} : { metadata: kept }),
    ...(spec === undefined ? {} : { spec: without(spec, unrecorded) }),
    ...rest,
  };
}

function without(value: Json | undefined, members: readonly string[]): Json {
  if (!isRecord(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).filter(([member]) => !members.includes(member)));
}
