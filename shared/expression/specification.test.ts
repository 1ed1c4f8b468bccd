/**
 * Replays the conformance cases of the CEL specification, each as a rule, and rules about protobuf messages, with
 * results recorded from release 1.31.1 (`expressions/specification`, `expressions/messages`). The tables below count the
 * cases for which this server differs from the release (DIFFERENT), and those in which it does not have the outcome that
 * the specification states (UNMET).
 */
import { readRecording } from '../../test/replay/recording';
import { either, number, oneOf, shape, text, type Check } from '../../test/replay/shape';
import { policyVariables } from './admission/variables';
import { CostBudget, compileExpression, CostExceededError, ErrorValue, type Value } from './engine';
import { untypedValue } from './untyped-json';
import { printType } from './types/type';

/** The outcome of a rule. `'no answer'` means that the recorded server closed the connection. */
type Outcome = 'holds' | 'does not hold' | 'no answer' | { readonly refused: string } | { readonly fails: string };

const isOutcome: Check<Outcome> = either(
  oneOf('holds', 'does not hold', 'no answer'),
  either(shape({ refused: text }), shape({ fails: text })),
);
/** `omitted` is the reason why no rule can express the case. */
const isCase = shape(
  { name: text, source: text, expects: oneOf('value', 'error') },
  { type: text, rule: text, answer: isOutcome, omitted: text },
);
const isHead = shape({ format: text, batch: number }, { source: text });
const { cases } = readRecording('expressions/specification', isHead, isCase);
type SpecifiedCase = (typeof cases)[number];

/** A reason with the number of cases to which it applies. A case belongs to the first row with patterns that match it. */
interface SpecificationRow {
  readonly reason: string;
  readonly cases: number;
  /** Matches the name of the case. */
  readonly name?: RegExp;
  /** Matches the expression of the case. */
  readonly source?: RegExp;
  /** Matches the text of the outcome: the recorded one in DIFFERENT, that of this server in UNMET. */
  readonly outcome?: RegExp;
}

/** Cases that no rule can express, by their recorded reasons. `functions of its own`: those that a case declares itself. */
const OMITTED: Readonly<Record<string, number>> = {
  'protobuf messages': 267,
  enumerations: 19,
  'variables with dots in their names': 8,
  'functions of its own': 5,
};

/** Cases that this server does not meet. */
const UNMET: readonly SpecificationRow[] = [
  {
    reason: 'the messages of the specification test are not declared',
    cases: 292,
    source:
      /TestAllTypes|TestRequired|NestedTestAll|NestedMessage|proto2|proto3|GlobalEnum|(?<!google\.protobuf\.)\b\w+Value\s*\{|NullValue/,
  },
  { reason: 'the library of mathematics is not loaded', cases: 182, source: /\bmath\./ },
  { reason: 'the library of encodings is not loaded', cases: 4, source: /base64\./ },
  { reason: 'the library of bindings (cel.bind, cel.block) is not loaded', cases: 30, source: /\bcel\.(block|index|iterVar|bind)/ },
  { reason: 'comprehensions with two variables are newer than release 1.31', cases: 38, name: /^macros2\// },
  { reason: 'names in back quotes are newer than release 1.31', cases: 6, source: /`/ },
  {
    reason: 'the case expects an error or a value of an expression that does not type-check',
    cases: 51,
    outcome: /: (expected type|found no matching overload|type '.*' does not support)/,
  },
  { reason: 'the case uses an undeclared name', cases: 20, outcome: /: undeclared reference/ },
  { reason: 'the loop variable is not a simple name', cases: 3, outcome: /argument must be a simple name/ },
  { reason: 'string.format follows an older version', cases: 18, name: /^string_ext\/format/ },
  { reason: 'the library of release 1.31 differs in other ways', cases: 7, name: /./ },
];

/** Cases in which this server differs from release 1.31.1. */
const DIFFERENT: readonly SpecificationRow[] = [
  { reason: 'google.protobuf.Any is not constructed', cases: 2, source: /google\.protobuf\.Any\s*\{/ },
  { reason: 'the recorded server closes the connection on formats that are not constant', cases: 7, outcome: /^no answer$/ },
  { reason: 'the recorded server confuses its own types of optional values', cases: 3, outcome: /incompatible type already exists/ },
  { reason: 'errors after the first syntax error differ', cases: 6, source: /`/ },
  { reason: 'errors after the first undeclared name differ', cases: 4, outcome: /: undeclared reference to 'cel'/ },
];

const variables = policyVariables({ hasParams: false, hasAuthorizer: true });

/** The limits of admission policies: of one expression, and of all expressions of a validation together. */
const EXPRESSION_COST_LIMIT = 1_000_000;
const VALIDATION_COST_BUDGET = 10_000_000;

/** The result of a rule on this server. */
function outcomeOf(rule: string, values: ReadonlyMap<string, Value> = new Map()): Outcome {
  const expression = compileExpression(rule, variables);
  if ('error' in expression) return { refused: `${expression.isChecked ? 'Internal error: ' : ''}${expression.error}` };
  try {
    const value = expression.evaluate(values, EXPRESSION_COST_LIMIT, new CostBudget(VALIDATION_COST_BUDGET));
    if (value instanceof ErrorValue) return { fails: value.message };
    return value === true ? 'holds' : 'does not hold';
  } catch (error) {
    if (error instanceof CostExceededError) return { fails: 'too expensive' };
    throw error;
  }
}

function textOf(outcome: Outcome): string {
  if (typeof outcome === 'string') return outcome;
  return 'refused' in outcome ? outcome.refused : outcome.fails;
}
const isError = (outcome: Outcome): boolean => typeof outcome !== 'string';
const isMet = ({ expects }: SpecifiedCase, outcome: Outcome): boolean => (expects === 'error' ? isError(outcome) : outcome === 'holds');

const ANYTHING = /(?:)/;

/** The number of cases that each row matches; a case that no row matches is counted by its name. */
function countByReason(
  rows: readonly SpecificationRow[],
  cases: readonly { readonly testCase: SpecifiedCase; readonly outcome: string }[],
): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(rows.map(({ reason }) => [reason, 0]));
  for (const { testCase, outcome } of cases) {
    const row = rows.find(
      ({ name = ANYTHING, source = ANYTHING, outcome: outcomePattern = ANYTHING }) =>
        name.test(testCase.name) && source.test(testCase.source) && outcomePattern.test(outcome),
    );
    const reason = row?.reason ?? `none: ${testCase.name}`;
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

const expectedCounts = (rows: readonly SpecificationRow[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ reason, cases: count }) => [reason, count]));

describe('the CEL conformance cases', () => {
  it('have the recorded results, except for the differences counted in DIFFERENT', () => {
    const different = cases.flatMap((testCase) => {
      if (testCase.rule === undefined) return [];
      const { answer: recorded } = testCase;
      if (recorded === undefined) throw new Error(`not recorded: ${testCase.name}`);
      // Only texts are compared, not whether an error occurs at the compilation or at the evaluation.
      return textOf(outcomeOf(testCase.rule)) === textOf(recorded) ? [] : [{ testCase, outcome: textOf(recorded) }];
    });
    expect(countByReason(DIFFERENT, different)).toEqual(expectedCounts(DIFFERENT));
  });

  it('have the specified outcome in this server, except for those counted in UNMET', () => {
    const evaluated = cases.flatMap((testCase) => (testCase.rule === undefined ? [] : [{ testCase, outcome: outcomeOf(testCase.rule) }]));
    const unmet = evaluated.filter(({ testCase, outcome }) => !isMet(testCase, outcome));
    expect(
      countByReason(
        UNMET,
        unmet.map(({ testCase, outcome }) => ({ testCase, outcome: textOf(outcome) })),
      ),
    ).toEqual(expectedCounts(UNMET));
    const met = evaluated.length - unmet.length;
    expect({ all: cases.length, evaluated: evaluated.length, met }).toEqual({ all: 2344, evaluated: 2045, met: 1394 });
  });

  it('are omitted only for the reasons counted in OMITTED', () => {
    const reasons: Record<string, number> = {};
    for (const { omitted } of cases) if (omitted !== undefined) reasons[omitted] = (reasons[omitted] ?? 0) + 1;
    expect(reasons).toEqual(OMITTED);
  });

  it('have the types that the specification states', () => {
    const wrong = cases.flatMap(({ name, source, type }) => {
      if (type === undefined) return [];
      const expression = compileExpression(source, new Map());
      // An expression that does not compile has no type to compare.
      const actual = 'error' in expression ? undefined : printType(expression.type);
      return actual === undefined || actual === type ? [] : [`${name}: ${actual}, not ${type}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe('a rule that constructs protobuf messages', () => {
  const request = { metadata: { name: 'case' } };
  const values = new Map<string, Value>(['object', 'request'].map((name) => [name, untypedValue(request)]));
  const messages = readRecording('expressions/messages', isHead, shape({ rule: text, answer: isOutcome })).cases;
  it.each(messages.map(({ rule, answer }) => [rule, answer] as const))('has the recorded result: %s', (rule, recorded) => {
    expect(outcomeOf(rule, values)).toEqual(recorded);
  });

  it('is charged for each converted field', () => {
    const expression = compileExpression('google.protobuf.Struct{fields: object}.size() == 1', variables);
    if ('error' in expression) throw new Error(expression.error);
    const work = (items: number): number => {
      const budget = new CostBudget(EXPRESSION_COST_LIMIT);
      const before = budget.remainingWork;
      expression.evaluate(new Map([['object', untypedValue({ items: Array<number>(items).fill(1) })]]), EXPRESSION_COST_LIMIT, budget);
      return before - budget.remainingWork;
    };
    expect(work(1000) - work(0)).toBeGreaterThanOrEqual(1000);
  });
});
