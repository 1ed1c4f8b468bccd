/**
 * The conformance cases of the language's specification (published with `@bufbuild/cel-spec`), each as a rule that holds just when the case does: so the
 * reference server, which evaluates nothing but rules, can be asked about all of them, and ours the same. Variables become those of loops over one value.
 * Never judges anything.
 */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { anything, body, either, listOf, mapOf, shape, text, truth, type Check } from '../shape';
import type { Body, Json } from '../reference';

export interface SpecifiedCase {
  /** The suites it is in and its own name. */
  readonly name: string;
  readonly source: string;
  /** Undefined where no rule can say it: the reason stands in {@link unsaid}. */
  readonly rule: string | undefined;
  readonly unsaid: string | undefined;
  /** What the specification wants: the rule to hold, or an error. */
  readonly wants: 'value' | 'error';
  /** The type that an expression without variables is found to have, where it is checked. */
  readonly type: string | undefined;
}

/** What a server says of a rule: that it holds, that it does not, why it is refused, or why it fails. It may also hang up. */
export type SpecifiedAnswer = 'holds' | 'does not hold' | 'no answer' | { readonly refused: string } | { readonly fails: string };

const isSuite = shape({ name: text }, { suites: listOf(body), tests: listOf(body) });
const isTest = shape({ original: body }, { ast: text, checkedAst: text, type: text, error: text });
const isOriginal = shape(
  { name: text, expr: text },
  {
    description: text,
    container: text,
    disableCheck: truth,
    checkOnly: truth,
    typeEnv: listOf(body),
    bindings: mapOf(body),
    value: body,
    typedResult: shape({}, { result: body, deducedType: anything }),
    evalError: body,
  },
);

/** No expression says it; the message is the reason. */
class Unsaid extends Error {}

/** All of them, in the order in which they are published. */
export function specifiedCases(): readonly SpecifiedCase[] {
  const cases: SpecifiedCase[] = [];
  const seen = new Map<string, number>();
  collect(tests, [], (path, test) => {
    const name = [...path, plain(test.original['name'])].join('/');
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    cases.push(read(times === 1 ? name : `${name}#${times}`, test));
  });
  return cases;
}

interface Test {
  readonly original: Body;
  readonly type?: string;
}

function collect(suite: unknown, path: readonly string[], add: (path: readonly string[], test: Test) => void): void {
  if (!isSuite(suite)) throw new Error(`no suite: ${path.join('/')}`);
  for (const test of suite.tests ?? []) {
    if (!isTest(test)) throw new Error(`no test in ${path.join('/')}`);
    add(path, test);
  }
  for (const each of suite.suites ?? []) collect(each, [...path, typeof each['name'] === 'string' ? each['name'] : ''], add);
}

function read(name: string, { original, type }: Test): SpecifiedCase {
  if (!isOriginal(original)) throw new Error(`no case: ${JSON.stringify(original)}`);
  const { expr: source, typeEnv = [], bindings = {}, typedResult, evalError, disableCheck, checkOnly } = original;
  const value = checkOnly === true ? undefined : (original.value ?? typedResult?.result);
  const isChecked = disableCheck !== true && typeEnv.length === 0;
  const made = { name, source, wants: evalError === undefined ? 'value' : 'error', type: isChecked ? type : undefined } as const;
  try {
    const condition = value === undefined ? `[dyn(${source})].size() == 1` : equals(source, value);
    return { ...made, rule: within(condition, typeEnv, bindings), unsaid: undefined };
  } catch (error) {
    if (!(error instanceof Unsaid)) throw error;
    return { ...made, rule: undefined, unsaid: error.message };
  }
}

const NUMBERS: Readonly<Record<string, string>> = { int64Value: 'int', uint64Value: 'uint', doubleValue: 'double' };

/** Numbers of different types are equal, so their type is asked for as well; nothing equals NaN. */
function equals(source: string, value: Body): string {
  const [[kind, content] = ['', null]] = Object.entries(value);
  const type = NUMBERS[kind];
  if (content === 'NaN') return `string(dyn(${source})) == 'NaN'`;
  if (type === undefined) return `dyn(${source}) == dyn(${literal(value)})`;
  return `[dyn(${source})].all(result, type(result) == ${type} && result == ${literal(value)})`;
}

/** The rule for variables that have these values. */
function within(rule: string, environment: readonly Body[], bindings: Readonly<Record<string, Body>>): string {
  return environment.reduceRight<string>((inner, declared) => {
    const { name, ident } = declared;
    if (typeof name !== 'string' || !isType(ident)) throw new Unsaid('functions of its own');
    if (name.includes('.')) throw new Unsaid('variables with dots in their names');
    if (ident.type['messageType'] !== undefined) throw new Unsaid('protobuf messages');
    const bound = bindings[name];
    const value = isValue(bound) ? literal(bound.value) : undefined;
    if (value === undefined) throw new Unsaid('variables without a value');
    return `[${ident.type['dyn'] === undefined ? value : `dyn(${value})`}].all(${name}, ${inner})`;
  }, rule);
}

const isType = shape({ type: body });
const isValue = shape({ value: body });
const isEntries: Check<{ readonly entries?: readonly { readonly key: Body; readonly value: Body }[] }> = shape(
  {},
  { entries: listOf(shape({ key: body, value: body })) },
);
const isValues = shape({}, { values: listOf(body) });
const isNumber = either(text, (value: unknown): value is number => typeof value === 'number');

/** A text, number or truth as text. */
const plain = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** A value as an expression. */
function literal(value: Body): string {
  const [[kind, content] = ['', null]] = Object.entries(value);
  switch (kind) {
    case 'nullValue':
      return 'null';
    case 'boolValue':
    case 'int64Value':
      return plain(content);
    case 'uint64Value':
      return `${plain(content)}u`;
    case 'doubleValue':
      return `double('${isNumber(content) ? content : ''}')`;
    case 'stringValue':
      return JSON.stringify(content).replace('\x7f', '\\x7f');
    case 'bytesValue':
      return `b"${[...Buffer.from(plain(content), 'base64')].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
    case 'typeValue':
      return plain(content);
    default:
      return composite(kind, content ?? null);
  }
}

function composite(kind: string, content: Json): string {
  if (kind === 'listValue' && isValues(content)) return `[${(content.values ?? []).map((item) => `dyn(${literal(item)})`).join(', ')}]`;
  if (kind === 'mapValue' && isEntries(content)) {
    const entries = (content.entries ?? []).map(({ key, value }) => `dyn(${literal(key)}): dyn(${literal(value)})`);
    return `{${entries.join(', ')}}`;
  }
  if (kind === 'enumValue') throw new Unsaid('enumerations');
  const any = body(content) ? content : {};
  const [, name = ''] = plain(any['@type']).split('/');
  if (name === 'google.protobuf.Duration' || name === 'google.protobuf.Timestamp')
    return `${name === 'google.protobuf.Duration' ? 'duration' : 'timestamp'}('${plain(any['value'])}')`;
  throw new Unsaid('protobuf messages');
}
